package dev.jobqueue.dashboard;

import dev.jobqueue.dashboard.Recorder.Done;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.LimitFigures;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Which types and queues have which limits. */
final class LimitUses {

    private final JobLimits limits;

    LimitUses(JobLimits limits) {
        this.limits = limits;
    }

    /** Applies a limit to a type or queue besides those that it has, or lifts it. */
    Done change(String limit, String action, JsonNode body) {
        String type = Limits.text(body, "type");
        String queue = Limits.text(body, "queue");
        if (type.isEmpty() == queue.isEmpty()) {
            throw Refusal.invalid("type is '%s' and queue is '%s': one of them must be given".formatted(type, queue));
        }
        Map<String, String> before = of(type, queue);
        Map<String, String> after = new LinkedHashMap<>(before);
        if (action.equals("apply")) {
            after.put(limit, Limits.text(body, "key"));
        } else if (after.remove(limit) == null) {
            throw Refusal.invalid("'%s' does not have the limit '%s'.".formatted(type + queue, limit));
        }
        set(type, queue, after);
        return new Done(null, 0, Map.of("action", "apply", "type", type, "queue", queue, "keys", before));
    }

    /** What takes such a change back: the limits from before. */
    Done set(JsonNode values) {
        JsonNode given = values.path("keys");
        Map<String, String> keys = new LinkedHashMap<>();
        given.propertyNames().forEach(limit -> keys.put(limit, Limits.text(given, limit)));
        set(Limits.text(values, "type"), Limits.text(values, "queue"), keys);
        return new Done(null, 0, null);
    }

    private void set(String type, String queue, Map<String, String> keys) {
        if (queue.isEmpty()) {
            limits.useForType(type, keys);
        } else {
            limits.useForQueue(queue, keys);
        }
    }

    /** The limits of a type or queue, with what each counts by; empty where all jobs share it. */
    private Map<String, String> of(String type, String queue) {
        Map<String, String> keys = new LinkedHashMap<>();
        for (LimitFigures limit : limits.list()) {
            limit.uses().stream()
                    .filter(each -> queue.isEmpty() ? type.equals(each.type()) : queue.equals(each.queue()))
                    .forEach(each -> keys.put(limit.definition().name(), each.key() == null ? "" : each.key()));
        }
        return keys;
    }
}
