/** Observes publishing and handling, and carries the trace from one to the other. */
@NullMarked
package dev.jobqueue.autoconfigure.tracing;

import org.jspecify.annotations.NullMarked;
