/**
 * Extension points: listeners that hear what becomes of jobs, interceptors around publishing and handling, handlers
 * that take many jobs at once, meters that count what a node does, and a worker that tests drive by hand.
 */
@NullMarked
package dev.jobqueue.spi;

import org.jspecify.annotations.NullMarked;
