package dev.jobqueue.internal;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.PermanentJobException;
import java.lang.reflect.Type;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads, headers, steps and results as JSON. */
public final class Json {

    private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {};
    private static final TypeReference<Map<String, Object>> STEPS = new TypeReference<>() {};

    private final JsonMapper mapper;

    public Json(JsonMapper mapper) {
        this.mapper = mapper;
    }

    /** Writes a payload; {@code null} is an empty object, so that every handler finds something to read. */
    public String writePayload(@Nullable Object payload) {
        return payload == null ? "{}" : write(payload);
    }

    public String write(Object value) {
        try {
            String json = mapper.writeValueAsString(value);
            if (Texts.isCut(json)) {
                throw Texts.refusal("The JSON of '" + value.getClass().getName() + "'", json);
            }
            return json;
        } catch (JacksonException ex) {
            throw new InvalidJobException(
                    "'%s' cannot be written as JSON: %s"
                            .formatted(value.getClass().getName(), ex.getOriginalMessage()),
                    ex);
        }
    }

    /**
     * Reads a payload; a {@code String} is the text of a JSON string, or any other JSON as it is, and {@code Void} is not
     * read at all.
     *
     * @throws PermanentJobException if it cannot be read as the type: no further attempt would help
     */
    public Object readPayload(String json, Type type) {
        if (type == Void.class || (type == String.class && !json.startsWith("\""))) {
            return json;
        }
        try {
            JavaType javaType = mapper.constructType(type);
            Object payload = mapper.readValue(json, javaType);
            if (payload == null) {
                throw new PermanentJobException(
                        "The payload is null where a '%s' is wanted".formatted(type.getTypeName()));
            }
            return payload;
        } catch (JacksonException ex) {
            throw new PermanentJobException(
                    "The payload cannot be read as '%s': %s".formatted(type.getTypeName(), ex.getOriginalMessage()),
                    ex);
        }
    }

    /** Why no payload whatever can be read as the type, such as an interface; {@code null} if some can, or may. */
    public @Nullable String whyUnreadable(Type type) {
        try {
            readPayload("{}", type);
        } catch (RuntimeException ex) {
            // any other problem is one of this payload, not of its type
            return ex.getCause() instanceof InvalidDefinitionException ? ex.getMessage() : null;
        }
        return null;
    }

    public <T> T read(String json, Class<T> type) {
        return mapper.readValue(json, type);
    }

    public <T> T convert(@Nullable Object value, Class<T> type) {
        return mapper.convertValue(value, type);
    }

    public Map<String, String> readHeaders(@Nullable String json) {
        return json == null || "{}".equals(json) ? Map.of() : mapper.readValue(json, HEADERS);
    }

    public Map<String, Object> readSteps(@Nullable String json) {
        return json == null ? Map.of() : mapper.readValue(json, STEPS);
    }
}
