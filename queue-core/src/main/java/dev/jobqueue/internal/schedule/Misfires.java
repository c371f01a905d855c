package dev.jobqueue.internal.schedule;

import dev.jobqueue.internal.schedule.Timetable.Due;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Decides what becomes of the due times of a schedule. A running node is late by milliseconds, under load by seconds:
 * then every due time gets its job. If the oldest due time is longer ago than that, no node was up, and the misfire
 * policy decides about all of them.
 */
final class Misfires {

    static final Duration TOLERANCE = Duration.ofSeconds(10);

    /** The most jobs one schedule publishes at once. */
    static final int MOST = 100;

    private static final String NEVER = "it is never due again";

    private Misfires() {}

    static ScheduleRun decide(DueSchedule schedule) {
        try {
            return decide(schedule, Timetable.of(schedule.cron(), schedule.every(), schedule.zone()));
        } catch (RuntimeException ex) {
            return new ScheduleRun(schedule, null, List.of(), 0, String.valueOf(ex.getMessage()));
        }
    }

    private static ScheduleRun decide(DueSchedule schedule, Timetable timetable) {
        Instant first = schedule.nextRunAt() != null ? schedule.nextRunAt() : timetable.next(schedule.countedFrom());
        if (first == null) {
            return new ScheduleRun(schedule, null, List.of(), 0, NEVER);
        }
        Instant now = schedule.clock();
        if (first.isAfter(now)) {
            return new ScheduleRun(schedule, first, List.of(), 0, null);
        }
        Due due = timetable.due(first, now, MOST);
        Instant onTime = now.minus(TOLERANCE);
        List<Instant> fires = first.isBefore(onTime) ? fires(schedule.misfire(), due.latest(), onTime) : due.latest();
        Instant next = timetable.next(due.latest().get(due.latest().size() - 1));
        int missed = (int) Math.min(Integer.MAX_VALUE, due.count() - fires.size());
        return new ScheduleRun(schedule, next, fires, missed, next == null ? NEVER : null);
    }

    private static List<Instant> fires(Misfire misfire, List<Instant> due, Instant onTime) {
        List<Instant> last = due.subList(due.size() - 1, due.size());
        return switch (misfire) {
            case SKIP -> last.get(0).isBefore(onTime) ? List.of() : last;
            case ONCE -> last;
            case ALL -> due;
        };
    }
}
