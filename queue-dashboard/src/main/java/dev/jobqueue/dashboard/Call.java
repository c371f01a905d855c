package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A request for data or for an action.
 *
 * @param request as it came
 * @param caller who sent it
 * @param names the parts of the path that the route left open, decoded
 */
record Call(HttpServletRequest request, Caller caller, List<String> names) {

    /** More than a job may carry is refused by the database. */
    private static final int LONGEST_BODY = 16 * 1024 * 1024;

    private static final Pattern MAX_AGE = Pattern.compile("max-age=(\\d{1,6})");

    /** Numbers keep their digits. */
    static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    String name() {
        return names.get(0);
    }

    UUID id() {
        return uuid(name());
    }

    static UUID uuid(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException ex) {
            throw Refusal.missing("'%s' is not an id".formatted(text));
        }
    }

    /** The name in the body of what to act on. Names may have slashes, which servers refuse in a path. */
    String target() {
        return body().path("name").asString("");
    }

    /** A parameter; {@code null} if it is missing or empty. */
    @Nullable
    String parameter(String name) {
        String value = request.getParameter(name);
        return value == null || value.isEmpty() ? null : value;
    }

    int number(String name, int otherwise, int most) {
        String value = parameter(name);
        if (value == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException ex) {
            // told below
        }
        throw Refusal.invalid("%s is '%s': must be a number from 1 to %d".formatted(name, value, most));
    }

    /** How old an answer may be: pages that ask again and again say so in {@code Cache-Control: max-age=4}. */
    Duration patience() {
        String header = request.getHeader("Cache-Control");
        Matcher age = MAX_AGE.matcher(header == null ? "" : header);
        return age.matches() ? Duration.ofSeconds(Long.parseLong(age.group(1))) : Duration.ZERO;
    }

    /** The object that was sent; an empty one if nothing was. */
    JsonNode body() {
        try {
            byte[] bytes = request.getInputStream().readNBytes(LONGEST_BODY + 1);
            if (bytes.length > LONGEST_BODY) {
                throw new Refusal(HttpStatus.CONTENT_TOO_LARGE, "The request is too long.");
            }
            JsonNode body = bytes.length == 0 ? MAPPER.createObjectNode() : MAPPER.readTree(bytes);
            if (!body.isObject()) {
                throw Refusal.invalid("The request must be a JSON object.");
            }
            return body;
        } catch (JacksonException ex) {
            throw Refusal.invalid("The request is not JSON.");
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
