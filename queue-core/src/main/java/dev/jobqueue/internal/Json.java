package dev.jobqueue.internal;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.PermanentJobException;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SequenceWriter;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.json.JsonMapper;

/** Payloads, headers, steps and results as JSON. */
public final class Json {

    private static final TypeReference<Map<String, String>> HEADERS = new TypeReference<>() {};

    /** Takes JSON apart without changing it: numbers keep their digits, trailing zeros too. */
    private static final JsonMapper EXACT = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** The limit that the functions which store results have too. */
    private static final int MOST_RESULT_BYTES = 8 * 1024 * 1024;

    private static final String NOTHING = "{}";

    /** From so many on, one generator for all is worth its making: it looks up the serializer of each class anew. */
    private static final int MANY = 32;

    private final JsonMapper mapper;
    private final ObjectWriter sequences;

    public Json(JsonMapper mapper) {
        this.mapper = mapper;
        this.sequences = mapper.writer().withRootValueSeparator("");
    }

    /**
     * The mapper of applications that choose none: Jackson's defaults and the modules on the class path. A payload may
     * have properties that its class does not know, because jobs outlive the version that published them. One that
     * lacks a primitive property cannot be read: 0 would be a guess.
     */
    public static JsonMapper defaultMapper() {
        return JsonMapper.builder()
                .findAndAddModules()
                .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                .build();
    }

    /** Writes a payload; {@code null} is an empty object, so that every handler finds something to read. */
    public String writePayload(@Nullable Object payload) {
        return payload == null ? NOTHING : write(payload);
    }

    /**
     * Writes many payloads as {@link #writePayload} does.
     *
     * @param count how many there will be
     */
    public PayloadWriter payloadWriter(int count) {
        return count < MANY ? this::writePayload : new SequenceOfPayloads();
    }

    public String write(Object value) {
        return write(value, mapper::writeValueAsString);
    }

    /**
     * Writes the result of a handler or of a step.
     *
     * @throws InvalidJobException if it is so long that storing it would keep other jobs waiting
     */
    public String writeResult(Object result) {
        String json = write(result);
        int bytes = 3L * json.length() <= MOST_RESULT_BYTES ? 0 : json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MOST_RESULT_BYTES) {
            throw new InvalidJobException(
                    "result is '%d bytes': must not be longer than %d bytes. Store it elsewhere and return where it is."
                            .formatted(bytes, MOST_RESULT_BYTES));
        }
        return json;
    }

    private static String write(Object value, Function<Object, String> writer) {
        try {
            String json = writer.apply(value);
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
     * Reads a payload; a {@code String} is the text of a JSON string, or any other JSON as it is, and {@code Void} is
     * not read at all.
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
                        "The payload is null where '%s' is wanted".formatted(type.getTypeName()));
            }
            return payload;
        } catch (JacksonException ex) {
            throw PayloadErrors.unreadable(type, ex);
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

    /** Reads what this library stored; numbers in untyped places keep their digits. */
    public <T> T read(String json, Class<T> type) {
        return mapper.readerFor(type)
                .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .readValue(json);
    }

    public <T> T convert(@Nullable Object value, Class<T> type) {
        return mapper.convertValue(value, type);
    }

    public Map<String, String> readHeaders(@Nullable String json) {
        return json == null || "{}".equals(json) ? Map.of() : mapper.readValue(json, HEADERS);
    }

    /** The JSON of each step, by name. */
    public Map<String, String> readSteps(@Nullable String json) {
        if (json == null) {
            return Map.of();
        }
        Map<String, String> steps = new LinkedHashMap<>();
        EXACT.readTree(json).forEachEntry((name, result) -> steps.put(name, result.toString()));
        return steps;
    }

    /**
     * Reads the result of a step.
     *
     * @throws PermanentJobException if it cannot be read as the type: no further attempt would help
     */
    @SuppressWarnings("TypeParameterUnusedInFormals") // the type says it, and Java cannot
    public <T> T readStep(String name, String json, Type type) {
        try {
            return mapper.readerFor(mapper.constructType(type))
                    .with(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                    .readValue(json);
        } catch (JacksonException ex) {
            throw new PermanentJobException(
                    "The result of step '%s' cannot be read as '%s': %s"
                            .formatted(name, type.getTypeName(), ex.getOriginalMessage()),
                    ex);
        }
    }

    /** Writes payloads, one after the other. */
    @FunctionalInterface
    public interface PayloadWriter extends AutoCloseable {

        String write(@Nullable Object payload);

        @Override
        default void close() {}
    }

    /** Uses one generator for all: to make a generator takes half as long as to write a payload. */
    private final class SequenceOfPayloads implements PayloadWriter {

        private final TextInPieces text = new TextInPieces();
        private final SequenceWriter sequence = sequences.writeValues(text);

        @Override
        public String write(@Nullable Object payload) {
            return payload == null ? NOTHING : Json.write(payload, this::next);
        }

        private String next(Object payload) {
            sequence.write(payload).flush();
            // a mapper that indents puts a space between two values, whatever it is told
            return text.take().stripLeading();
        }

        @Override
        public void close() {
            sequence.close();
        }
    }
}
