package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.JobState;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.node.Node.SlotUse;
import dev.jobqueue.internal.operate.JobFinder;
import dev.jobqueue.internal.operate.JobFinder.Filter;
import dev.jobqueue.internal.operate.JobFinder.Page;
import dev.jobqueue.internal.operate.JobFinder.Reason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Jobs, for people and scripts to read. */
final class Jobs {

    /** What jobs carry is shown as it is. */
    private static final Set<String> CARRIED = Set.of("payload", "headers", "result");

    private static final Pattern UNDERSCORE = Pattern.compile("_(.)");

    private final JobFinder finder;
    private final Json json;
    private final QueueProperties properties;
    private final Queues queues;

    Jobs(JobFinder finder, Json json, QueueProperties properties, Queues queues) {
        this.finder = finder;
        this.json = json;
        this.properties = properties;
        this.queues = queues;
    }

    Map<String, Object> list(Filter filter, @Nullable String after, int limit) {
        Page page = finder.find(filter, after == null ? null : decode(after), limit);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("jobs", page.jobs().stream().map(Answers::plain).toList());
        String next = page.next();
        answer.put("next", next == null ? null : encode(next));
        return answer;
    }

    Object show(UUID id, boolean withPayload) {
        String found = Answers.found(finder.show(id, withPayload), unknown(id));
        Map<String, @Nullable Object> job = new LinkedHashMap<>();
        Map<?, ?> columns = json.read(found, Map.class);
        columns.forEach((name, value) -> job.put(camel((String) name), tidy((String) name, value)));
        job.put("payloadShown", withPayload);
        return job;
    }

    Map<String, Object> why(UUID id) {
        List<Reason> reasons = finder.why(id, properties.worker().ttl());
        if (reasons.isEmpty()) {
            throw Answers.missing(unknown(id));
        }
        Map<String, Object> answer = new LinkedHashMap<>();
        Reason first = reasons.get(0);
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
        return answer;
    }

    private static String unknown(UUID id) {
        return "No job has the id '%s': it never existed, or is older than the history that is kept".formatted(id);
    }

    /** Names as in Java; the contents of what a job carries stay as they are. */
    private static @Nullable Object tidy(String name, @Nullable Object value) {
        if (CARRIED.contains(name) || !(value instanceof List<?> list)) {
            return value;
        }
        List<@Nullable Object> tidied = new ArrayList<>();
        for (Object each : list) {
            if (each instanceof Map<?, ?> map) {
                Map<String, @Nullable Object> renamed = new LinkedHashMap<>();
                map.forEach((key, inner) -> renamed.put(camel((String) key), inner));
                tidied.add(renamed);
            } else {
                tidied.add(each);
            }
        }
        return tidied;
    }

    private static String camel(String name) {
        return UNDERSCORE.matcher(name).replaceAll(match -> match.group(1).toUpperCase(Locale.ROOT));
    }

    private static String encode(String cursor) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(cursor.getBytes(StandardCharsets.UTF_8));
    }

    private static String decode(String cursor) {
        try {
            return new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException ex) {
            throw Arguments.invalid("after is '%s': must be what 'next' of the page before said".formatted(cursor));
        }
    }
}
