package dev.jobqueue.internal;

import dev.jobqueue.PermanentJobException;
import java.lang.reflect.Type;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.exc.InvalidDefinitionException;
import tools.jackson.databind.exc.InvalidNullException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.ValueInstantiationException;

/** Says why a payload cannot be read. Only the first line of an error is logged, so it has no value of the payload. */
final class PayloadErrors {

    /** How Jackson says that a property is missing, or null where it must not be. */
    private static final Pattern NULL = Pattern.compile(
            "(?:Missing required|Null value for) creator property '([^']*)'.*|Cannot map `null` into type.*",
            Pattern.DOTALL);

    private PayloadErrors() {}

    static PermanentJobException unreadable(Type type, JacksonException ex) {
        return new PermanentJobException(
                "The payload cannot be read as '%s'%s: %s".formatted(type.getTypeName(), place(ex), reason(ex)), ex);
    }

    /** Where in the JSON it failed: the names of properties, never a value. */
    private static String place(JacksonException ex) {
        String path = ex.getPath().stream()
                .map(each -> each.getPropertyName() != null ? each.getPropertyName() : "[" + each.getIndex() + "]")
                .collect(Collectors.joining("."));
        return path.isEmpty() ? "" : " at '" + path + "'";
    }

    private static String reason(JacksonException ex) {
        String message = String.valueOf(ex.getOriginalMessage());
        Matcher matcher = NULL.matcher(message);
        boolean isNull = matcher.matches();
        if (isNull || ex instanceof InvalidNullException) {
            // without Jackson's own message, which advises to change the mapper
            String name = isNull ? matcher.group(1) : null;
            return ("%s is missing or null. Let it be null (boxed or @Nullable, 'Int?' in Kotlin) or give it a default"
                            + " value, so that payloads without it can be read.")
                    .formatted(name == null ? "it" : "'" + name + "'");
        }
        // what may quote the payload stands on a line of its own
        return problem(ex, message) + "\n" + message;
    }

    private static String problem(JacksonException ex, String message) {
        if (ex instanceof ValueInstantiationException && ex.getCause() != null) {
            return "its constructor threw " + ex.getCause().getClass().getName();
        }
        if (ex instanceof InvalidDefinitionException) {
            return Errors.firstLine(message);
        }
        if (ex instanceof MismatchedInputException mismatch && mismatch.getTargetType() != null) {
            return "there is %s where '%s' is wanted"
                    .formatted(
                            kind(mismatch.getCurrentToken()),
                            mismatch.getTargetType().getName());
        }
        return ex.getClass().getSimpleName();
    }

    private static String kind(@Nullable JsonToken token) {
        if (token == null) {
            return "something else";
        }
        return switch (token) {
            case START_OBJECT, PROPERTY_NAME, END_OBJECT -> "an object";
            case START_ARRAY, END_ARRAY -> "an array";
            case VALUE_STRING -> "a text";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "a number";
            case VALUE_TRUE, VALUE_FALSE -> "a boolean";
            case VALUE_NULL -> "null";
            default -> "something else";
        };
    }
}
