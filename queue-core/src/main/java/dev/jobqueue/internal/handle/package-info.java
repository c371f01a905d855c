/**
 * Handling: slots, the runs of jobs in them, their handlers, what these report, and their timeouts. Larger than the other
 * rooms, because all of it is about one object, {@link dev.jobqueue.internal.handle.RunningJob}.
 */
@NullMarked
package dev.jobqueue.internal.handle;

import org.jspecify.annotations.NullMarked;
