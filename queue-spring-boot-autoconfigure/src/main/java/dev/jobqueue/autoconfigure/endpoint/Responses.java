package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;
import org.springframework.util.MimeType;
import tools.jackson.core.type.TypeReference;
import tools.jackson.databind.json.JsonMapper;

/**
 * The responses of the endpoint: what was asked for, or a problem (RFC 9457) that says what is wrong. Boot would hide
 * the message of an exception, unless the application shows the messages of all its errors.
 */
final class Responses {

    private static final MimeType PROBLEM = MimeType.valueOf("application/problem+json");

    private static final Logger log = LoggerFactory.getLogger(Responses.class);

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final int FORBIDDEN = 403;

    private static final JsonMapper NAMES = JsonMapper.builder().build();

    private static final TypeReference<Map<String, @Nullable Object>> PARTS = new TypeReference<>() {};

    private Responses() {}

    /** The parts of a record under their own names, whatever naming strategy the application has for the web. */
    static Map<String, @Nullable Object> plain(Object part) {
        return NAMES.convertValue(part, PARTS);
    }

    /**
     * Answers with 400 if the caller got something wrong, 404 if it is not there, 503 if the database is away or slow.
     */
    static WebEndpointResponse<Object> to(Supplier<Object> question) {
        return to(question, "queue_viewer");
    }

    /**
     * Answers an action. One that the database refuses is logged, with who asked for it.
     *
     * @param what what is done, for the log
     */
    static WebEndpointResponse<Object> toAction(String what, Supplier<Object> action) {
        WebEndpointResponse<Object> answer = to(action, "queue_operator");
        if (answer.getStatus() == FORBIDDEN) {
            log.warn(
                    "'{}' by {} was refused by the database: grant queue_operator to the role of this application",
                    what.replaceAll("\\p{Cntrl}", "?"),
                    Caller.name());
        }
        return answer;
    }

    /**
     * @param role the role of roles.sql that may do it
     */
    private static WebEndpointResponse<Object> to(Supplier<Object> question, String role) {
        try {
            return new WebEndpointResponse<>(question.get());
        } catch (JobNotFoundException | Missing ex) {
            return problem(WebEndpointResponse.STATUS_NOT_FOUND, "Not Found", ex.getMessage());
        } catch (InvalidJobException ex) {
            return problem(WebEndpointResponse.STATUS_BAD_REQUEST, "Bad Request", ex.getMessage());
        } catch (DataAccessException ex) {
            return unavailable(NestedExceptionUtils.getMostSpecificCause(ex), role);
        }
    }

    /** Returns the thing, or answers with 404. */
    static <T> T found(@Nullable T thing, String otherwise) {
        if (thing == null) {
            throw new Missing(otherwise);
        }
        return thing;
    }

    static Missing missing(String message) {
        return new Missing(message);
    }

    private static WebEndpointResponse<Object> unavailable(Throwable cause, String role) {
        if (cause instanceof SQLException sql && INSUFFICIENT_PRIVILEGE.equals(sql.getSQLState())) {
            return problem(
                    FORBIDDEN,
                    "Forbidden",
                    "The application's role in the database may not do this: grant it %s. %s"
                            .formatted(role, cause.getMessage()));
        }
        return problem(
                WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE,
                "Service Unavailable",
                "The database did not answer: " + cause.getMessage());
    }

    private static WebEndpointResponse<Object> problem(int status, String title, @Nullable String detail) {
        Map<String, @Nullable Object> problem = new LinkedHashMap<>();
        problem.put("title", title);
        problem.put("status", status);
        problem.put("detail", detail);
        return new WebEndpointResponse<>(problem, status, PROBLEM);
    }

    /** Answered with 404. */
    static final class Missing extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private Missing(String message) {
            super(message);
        }
    }
}
