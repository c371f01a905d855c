package dev.jobqueue.autoconfigure;

import dev.jobqueue.schedule.Schedule.Origin;
import dev.jobqueue.schedule.ScheduleDefinition;

/**
 * A schedule that code or configuration defines.
 *
 * @param where who defines it, for error messages
 */
record DeclaredSchedule(String where, Origin origin, ScheduleDefinition definition) {

    /** The expression that means never. */
    private static final String NEVER = "-";

    boolean isNever() {
        return NEVER.equals(definition.cron());
    }
}
