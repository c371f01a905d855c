package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Schedules, to look at and to act on. */
final class Schedules {

    private static final Logger log = LoggerFactory.getLogger(Schedules.class);

    private final JobSchedules schedules;

    Schedules(JobSchedules schedules) {
        this.schedules = schedules;
    }

    Map<String, Object> list(boolean withPayload) {
        List<Map<String, @Nullable Object>> all = schedules.list().stream()
                .map(each -> describe(each, withPayload))
                .toList();
        return Map.of("schedules", all);
    }

    Map<String, @Nullable Object> one(String name, boolean withPayload) {
        return schedules
                .find(name)
                .map(each -> describe(each, withPayload))
                .orElseThrow(
                        () -> Responses.missing("There is no schedule '%s': 'schedules' lists all".formatted(name)));
    }

    Object act(String name, String action) {
        Object done = switch (action) {
            case "run" -> Map.of("schedule", name, "done", action, "jobId", schedules.runNow(name));
            case "pause" -> {
                schedules.pause(name);
                yield Map.of("schedule", name, "done", action);
            }
            case "resume" -> {
                schedules.resume(name);
                yield Map.of("schedule", name, "done", action);
            }
            default -> throw Actions.unknown(action, "a schedule", "run, pause, resume");
        };
        log.info("Schedule '{}': {} by {}", name, action, Caller.name());
        return done;
    }

    private static Map<String, @Nullable Object> describe(Schedule schedule, boolean withPayload) {
        Map<String, @Nullable Object> described = new LinkedHashMap<>();
        described.put("name", schedule.name());
        described.put("type", schedule.type());
        described.put("queue", schedule.queue());
        described.put("cron", schedule.cron());
        described.put("every", schedule.every());
        described.put("zone", schedule.zone());
        described.put("misfire", schedule.misfire());
        described.put("overlap", schedule.overlap());
        described.put("origin", schedule.origin());
        described.put("owner", schedule.owner());
        described.put("paused", schedule.paused());
        described.put("retired", schedule.retired());
        described.put("problem", schedule.problem());
        described.put("nextRunAt", schedule.nextRunAt());
        described.put("lastRunAt", schedule.lastRunAt());
        described.put("lastJobId", schedule.lastJobId());
        described.put("fired", schedule.fired());
        described.put("skipped", schedule.skipped());
        described.put("missed", schedule.missed());
        if (withPayload) {
            described.put("payload", schedule.payload());
        }
        return described;
    }
}
