package dev.jobqueue.dashboard;

import dev.jobqueue.JobState;
import dev.jobqueue.dashboard.Recorder.Done;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What people do with one job, queue or schedule, each with its entry of the audit in the same transaction. */
final class Actions implements Endpoints {

    private final JobOperations operations;
    private final @Nullable JobSchedules schedules;
    private final Recorder recorder;

    Actions(JobOperations operations, @Nullable JobSchedules schedules, Recorder recorder) {
        this.operations = operations;
        this.schedules = schedules;
        this.recorder = recorder;
        recorder.undoes("job", (target, action, values) -> onJob(UUID.fromString(target), action, values));
        recorder.undoes("queue", (target, action, values) -> onQueue(target, action));
        recorder.undoes("schedule", (target, action, values) -> onSchedule(target, action));
    }

    @Override
    public void addTo(Routes routes) {
        routes.post("jobs/*/*", this::onJob);
        routes.post("queues/*", this::onQueue);
        routes.post("schedules/*", this::onSchedule);
    }

    Map<String, @Nullable Object> onJob(Call call) {
        UUID id = call.id();
        String action = call.names().get(1);
        JsonNode body = call.body();
        return recorder.record(call.caller(), "job." + action, id.toString(), () -> onJob(id, action, body));
    }

    /** Long, because it lists all there is to do with a job; each case is short. */
    private Done onJob(UUID id, String action, JsonNode body) {
        switch (action) {
            case "cancel" -> {
                boolean again = before(id).state() == JobState.CANCELLED;
                JobState state = operations.cancel(id);
                boolean late = again || state == JobState.COMPLETED || state == JobState.DEAD;
                return new Done(state, late ? 0 : 1, null);
            }
            case "retry" -> {
                Instant before = before(id).runAt();
                operations.retry(id);
                return new Done(JobState.PENDING, 1, Map.of("action", "reschedule", "runAt", before.toString()));
            }
            case "replay" -> {
                operations.replay(id);
                return new Done(JobState.PENDING, 1, null);
            }
            case "purge" -> {
                operations.purge(id);
                return new Done("GONE", 1, null);
            }
            case "reprioritise" -> {
                int before = before(id).priority();
                JobState state = operations.reprioritise(id, priority(body));
                return new Done(state, 1, Map.of("action", "reprioritise", "priority", before));
            }
            case "reschedule" -> {
                Instant before = before(id).runAt();
                JobState state = operations.reschedule(id, time(body, "runAt"));
                return new Done(state, 1, Map.of("action", "reschedule", "runAt", before.toString()));
            }
            default ->
                throw Refusal.missing(
                        "Unknown action '%s' for a job. Use cancel, retry, replay, purge, reprioritise or reschedule"
                                .formatted(action));
        }
    }

    private JobDetails before(UUID id) {
        return operations.find(id).orElseThrow(() -> Refusal.missing("No job has the id '%s'.".formatted(id)));
    }

    static int priority(JsonNode body) {
        JsonNode priority = body.path("priority");
        if (!priority.isInt()) {
            throw Refusal.invalid("priority is '%s': must be an integer".formatted(priority.asString("")));
        }
        return priority.intValue();
    }

    static Instant time(JsonNode body, String name) {
        String time = body.path(name).asString("");
        try {
            return OffsetDateTime.parse(time).toInstant();
        } catch (DateTimeException ex) {
            throw Refusal.invalid("%s is '%s': must be a time such as 2026-11-18T10:00Z".formatted(name, time));
        }
    }

    Map<String, @Nullable Object> onQueue(Call call) {
        String action = call.name();
        String queue = call.target();
        return recorder.record(call.caller(), "queue." + action, queue, () -> onQueue(queue, action));
    }

    private Done onQueue(String queue, String action) {
        boolean paused = operations.queues().stream()
                .filter(each -> each.queue().equals(queue))
                .findFirst()
                .map(each -> each.pausedAt() != null)
                .orElseThrow(() -> Refusal.missing("There is no queue '%s'.".formatted(queue)));
        switch (action) {
            case "pause" -> operations.pause(queue);
            case "resume" -> operations.resume(queue);
            default ->
                throw Refusal.missing("Unknown action '%s' for a queue. Use one of: pause, resume".formatted(action));
        }
        return new Done(null, 0, opposite(action, paused));
    }

    /** What takes a pause or its end back; nothing if it changed nothing. */
    private static @Nullable Map<String, Object> opposite(String action, boolean wasPaused) {
        boolean pauses = action.equals("pause");
        return pauses == wasPaused ? null : Map.of("action", pauses ? "resume" : "pause");
    }

    Map<String, @Nullable Object> onSchedule(Call call) {
        String action = call.name();
        String name = call.target();
        return recorder.record(call.caller(), "schedule." + action, name, () -> onSchedule(name, action));
    }

    private Done onSchedule(String name, String action) {
        if (schedules == null) {
            throw Refusal.missing("This application has no schedules.");
        }
        Schedule schedule =
                schedules.find(name).orElseThrow(() -> Refusal.missing("There is no schedule '%s'.".formatted(name)));
        switch (action) {
            case "run" -> {
                return new Done(schedules.runNow(name), 1, null);
            }
            case "delete" -> {
                delete(schedules, schedule);
                return new Done("GONE", 0, null);
            }
            case "pause" -> schedules.pause(name);
            case "resume" -> schedules.resume(name);
            default ->
                throw Refusal.missing(
                        "Unknown action '%s' for a schedule. Use one of: run, pause, resume, delete".formatted(action));
        }
        return new Done(null, 0, opposite(action, schedule.paused()));
    }

    private static void delete(JobSchedules schedules, Schedule schedule) {
        if (schedule.origin() != Schedule.Origin.API && !schedule.retired()) {
            throw Refusal.invalid(
                    "Schedule '%s' is defined by an application, whose start would bring it back: pause it instead."
                            .formatted(schedule.name()));
        }
        schedules.delete(schedule.name());
    }
}
