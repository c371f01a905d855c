/** Benchmarks of the queue beside bare JDBC and its peers. */
@NullMarked
package dev.jobqueue.benchmarks;

import org.jspecify.annotations.NullMarked;
