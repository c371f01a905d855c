package dev.jobqueue.internal.operate;

import dev.jobqueue.operate.JobDetails.Event;
import dev.jobqueue.operate.JobDetails.Step;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads what a job left while it ran, whatever mapper the application has for payloads. */
final class Trail {

    /** Numbers keep their digits, trailing zeros too. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private Trail() {}

    static List<Step> steps(String json) {
        return MAPPER.readTree(json).valueStream().map(Trail::step).toList();
    }

    static List<Event> events(String json) {
        return MAPPER.readTree(json).valueStream().map(Trail::event).toList();
    }

    private static Step step(JsonNode node) {
        JsonNode result = node.get("result");
        return new Step(
                Objects.requireNonNull(text(node, "step")),
                time(node, "finished_at"),
                result.isNull() ? null : result.toString());
    }

    private static Event event(JsonNode node) {
        JsonNode percent = node.get("percent");
        return new Event(
                node.get("number").asInt(),
                time(node, "at"),
                Objects.requireNonNull(text(node, "kind")),
                text(node, "level"),
                percent.isNull() ? null : percent.asInt(),
                text(node, "stage"),
                text(node, "message"));
    }

    private static @Nullable String text(JsonNode node, String name) {
        JsonNode value = node.get(name);
        return value.isNull() ? null : value.asString();
    }

    private static Instant time(JsonNode node, String name) {
        return OffsetDateTime.parse(Objects.requireNonNull(text(node, name))).toInstant();
    }
}
