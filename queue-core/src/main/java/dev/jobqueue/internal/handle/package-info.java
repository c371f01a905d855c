/** Handling: the runs of jobs, their handlers, what these report, and their timeouts. */
@NullMarked
package dev.jobqueue.internal.handle;

import org.jspecify.annotations.NullMarked;
