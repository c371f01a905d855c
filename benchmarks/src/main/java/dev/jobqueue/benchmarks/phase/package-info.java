/** The measurements, one class each. */
@NullMarked
package dev.jobqueue.benchmarks.phase;

import org.jspecify.annotations.NullMarked;
