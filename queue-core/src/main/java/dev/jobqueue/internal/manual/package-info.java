/** A node without threads: tests drive it by hand, one job at a time and in their own transaction. */
@NullMarked
package dev.jobqueue.internal.manual;

import org.jspecify.annotations.NullMarked;
