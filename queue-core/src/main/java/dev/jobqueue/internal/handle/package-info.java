/** Handling: slots, the runs of jobs in them, their handlers, and their timeouts. */
@NullMarked
package dev.jobqueue.internal.handle;

import org.jspecify.annotations.NullMarked;
