/** What is measured: our queue, its peers, and bare JDBC. */
@NullMarked
package dev.jobqueue.benchmarks.subject;

import org.jspecify.annotations.NullMarked;
