/** Measures the queue with Micrometer. */
@NullMarked
package dev.jobqueue.autoconfigure.metrics;

import org.jspecify.annotations.NullMarked;
