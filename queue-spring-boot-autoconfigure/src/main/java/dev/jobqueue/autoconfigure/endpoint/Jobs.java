package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.node.NodeStatus.SlotUse;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobReason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Jobs, for people and scripts to read. */
final class Jobs {

    private final JobOperations operations;
    private final Json json;
    private final Queues queues;

    Jobs(JobOperations operations, Json json, Queues queues) {
        this.operations = operations;
        this.json = json;
        this.queues = queues;
    }

    Map<String, Object> list(JobFilter filter, @Nullable String after, int limit) {
        JobPage page = operations.find(filter, after == null ? JobCursor.START : new JobCursor(after), limit);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("jobs", page.jobs().stream().map(Responses::plain).toList());
        JobCursor next = page.next();
        answer.put("next", next == null ? null : next.text());
        return answer;
    }

    /** The components of the record, and what follows from them; durations are in seconds. */
    Object show(UUID id, boolean withPayload) {
        JobDetails job = operations
                .find(id)
                .orElseThrow(() -> Responses.missing(
                        "No job has the id '%s': it never existed, or is older than the history that is kept"
                                .formatted(id)));
        Map<String, @Nullable Object> shown = new LinkedHashMap<>(Responses.plain(job));
        shown.put("reason", shown.remove("deadReason"));
        shown.remove("timeout");
        shown.put("timeoutSeconds", seconds(job.timeout()));
        shown.put("waitSeconds", seconds(job.waited()));
        shown.put("runSeconds", seconds(job.ran()));
        shown.put(
                "steps",
                job.steps().stream().map(step -> step(step, withPayload)).toList());
        if (withPayload) {
            shown.put("payload", tree(job.payload()));
            shown.put("result", tree(job.result()));
        } else {
            shown.keySet().removeAll(List.of("payload", "headers", "result"));
        }
        shown.put("payloadShown", withPayload);
        return shown;
    }

    Map<String, Object> why(UUID id) {
        List<JobReason> reasons = operations.why(id);
        Map<String, Object> answer = new LinkedHashMap<>();
        JobReason first = reasons.get(0);
        answer.put("id", id);
        answer.put("state", first.state());
        answer.put(
                "reasons",
                reasons.stream()
                        .map(each -> Map.of("code", each.code(), "message", each.message()))
                        .toList());
        SlotUse slots = first.state() == JobState.PENDING ? queues.slots(first.queue()) : null;
        if (slots != null) {
            answer.put("slotsOfThisNode", slots);
        }
        Map<String, Object> broker = queues.broker(first.queue());
        if (broker != null) {
            answer.put("broker", broker);
        }
        return answer;
    }

    private Map<String, @Nullable Object> step(JobDetails.Step step, boolean withResult) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("step", step.name());
        shown.put("finishedAt", step.finishedAt());
        if (withResult) {
            shown.put("result", tree(step.result()));
        }
        return shown;
    }

    /** Parses JSON, so that it becomes a part of the answer and not a text in it. */
    private @Nullable Object tree(@Nullable String text) {
        return text == null ? null : json.read(text, Object.class);
    }

    private static @Nullable Double seconds(@Nullable Duration duration) {
        return duration == null ? null : TimeUnit.NANOSECONDS.toMicros(duration.toNanos()) / 1e6;
    }
}
