package dev.jobqueue.autoconfigure;

import dev.jobqueue.PermanentJobException;
import org.jspecify.annotations.Nullable;
import org.springframework.util.StringUtils;

/** Says at start what is wrong with a schedule. */
final class InvalidScheduleException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final String where;

    /**
     * @param where who defines the schedule
     */
    InvalidScheduleException(String where, String problem, @Nullable Throwable cause) {
        super("%s cannot be a schedule: %s".formatted(StringUtils.capitalize(where), problem), cause);
        this.where = where;
    }

    @Override
    public String getMessage() {
        return String.valueOf(super.getMessage());
    }

    String action() {
        return getCause() instanceof PermanentJobException
                ? "Let the handler take no payload, or give the schedule one: by a ScheduleDefinition bean instead of"
                        + " @JobSchedule, or by queue.schedules.<name>.payload."
                : "Correct %s.".formatted(where);
    }
}
