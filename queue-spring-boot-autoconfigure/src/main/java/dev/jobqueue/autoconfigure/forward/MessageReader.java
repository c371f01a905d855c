package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.JobContext;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.Message;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.util.PatternMatchUtils;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Makes messages of the payloads of jobs, which any publisher may have written. */
final class MessageReader {

    /** Leaves bodies as they were published: numbers keep their digits. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private final Format format;
    private final boolean cloudEvents;
    private final String source;
    private final String[] jobHeaders;

    /**
     * @param source the source of events that have the headers of CloudEvents
     */
    MessageReader(Format format, QueueProperties.Forward properties, String source) {
        this.format = format;
        this.cloudEvents = properties.cloudEvents();
        this.source = source;
        this.jobHeaders = properties.jobHeaders().toArray(String[]::new);
    }

    /**
     * Reads one message.
     *
     * @throws PermanentJobException if the payload is no message
     */
    Message read(String payload, JobContext job) {
        JsonNode fields = parse(payload);
        String target = text(fields, format.target());
        if (target == null || (target.isEmpty() && !format.keyRoutes())) {
            throw wrong("has no '%s'".formatted(format.target()), null);
        }
        if (!job.queue().equals(job.type())) {
            throw new PermanentJobException(
                    "A message must be in the queue '%s', which is handled one bundle at a time".formatted(job.type())
                            + ", and not in '%s'".formatted(job.queue()));
        }
        String key = text(fields, format.key());
        String route = format.keyRoutes() && key != null && !key.isEmpty() ? key : null;
        return new Message(
                job.id(),
                target,
                route == null ? target : target + " " + route,
                key,
                headers(fields, job, route == null ? target : route),
                contentType(fields),
                body(fields));
    }

    private JsonNode parse(String payload) {
        try {
            JsonNode fields = MAPPER.readTree(payload);
            if (fields.isObject()) {
                return fields;
            }
        } catch (JacksonException ex) {
            throw wrong("is no JSON: " + ex.getOriginalMessage(), ex);
        }
        throw wrong("is no object", null);
    }

    private static @Nullable String text(JsonNode fields, String name) {
        JsonNode field = fields.path(name);
        if (field.isMissingNode() || field.isNull()) {
            return null;
        }
        if (!field.isValueNode()) {
            throw wrong("has a '%s' that is no text".formatted(name), null);
        }
        return field.asString();
    }

    private static byte @Nullable [] body(JsonNode fields) {
        if (fields.has("body")) {
            return MAPPER.writeValueAsBytes(fields.get("body"));
        }
        String text = text(fields, "text");
        if (text != null) {
            return text.getBytes(StandardCharsets.UTF_8);
        }
        String base64 = text(fields, "base64");
        try {
            return base64 == null ? null : Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException ex) {
            throw wrong("has a 'base64' that is none: " + ex.getMessage(), ex);
        }
    }

    private static @Nullable String contentType(JsonNode fields) {
        String given = text(fields, "contentType");
        if (given != null) {
            return given;
        }
        return fields.has("body")
                ? "application/json"
                : fields.has("text")
                        ? "text/plain;charset=UTF-8"
                        : fields.has("base64") ? "application/octet-stream" : null;
    }

    private Map<String, String> headers(JsonNode fields, JobContext job, String defaultType) {
        Map<String, String> headers = new LinkedHashMap<>();
        job.headers().forEach((name, value) -> {
            if (PatternMatchUtils.simpleMatch(jobHeaders, name)) {
                headers.put(name, value);
            }
        });
        String type = text(fields, "cloudEvent");
        if (type != null || cloudEvents) {
            headers.put(format.cloudEvents() + "specversion", "1.0");
            headers.put(format.cloudEvents() + "id", job.id().toString());
            headers.put(format.cloudEvents() + "source", source);
            headers.put(format.cloudEvents() + "type", type == null ? defaultType : type);
            headers.put(format.cloudEvents() + "time", job.createdAt().toString());
        }
        JsonNode given = fields.path("headers");
        if (!given.isMissingNode() && !given.isObject()) {
            throw wrong("has 'headers' that are no object", null);
        }
        for (String name : given.propertyNames()) {
            String value = text(given, name);
            if (value != null) {
                headers.put(name, value);
            }
        }
        return headers;
    }

    private static PermanentJobException wrong(String problem, @Nullable Throwable cause) {
        return new PermanentJobException("The payload is no message: it %s".formatted(problem), cause);
    }

    /**
     * How the messages of a broker are written.
     *
     * @param target the field that says where a message goes
     * @param keyRoutes whether the key says so too, and the target may be empty then
     * @param key the field with its key
     * @param cloudEvents what the headers of CloudEvents begin with
     */
    record Format(String target, boolean keyRoutes, String key, String cloudEvents) {

        static final Format KAFKA = new Format("topic", false, "key", "ce_");
        static final Format RABBIT = new Format("exchange", true, "routingKey", "cloudEvents:");
    }
}
