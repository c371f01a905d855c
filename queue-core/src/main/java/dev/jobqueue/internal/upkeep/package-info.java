/** What keeps the queue going: promotion of due jobs, firing of schedules, rescue, and pruning. */
@NullMarked
package dev.jobqueue.internal.upkeep;

import org.jspecify.annotations.NullMarked;
