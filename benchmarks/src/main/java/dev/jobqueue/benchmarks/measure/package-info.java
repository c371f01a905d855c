/** The server, the machine, and what was measured on them. */
@NullMarked
package dev.jobqueue.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
