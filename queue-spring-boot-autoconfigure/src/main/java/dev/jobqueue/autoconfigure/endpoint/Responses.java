package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.MissingRightException;
import dev.jobqueue.internal.Outage;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
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

    private static final int FORBIDDEN = 403;

    private static final JsonMapper NAMES = JsonMapper.builder().build();

    private static final TypeReference<Map<String, @Nullable Object>> PARTS = new TypeReference<>() {};

    private Responses() {}

    /** The parts of a record under their own names, whatever naming strategy the application has for the web. */
    static Map<String, @Nullable Object> plain(Object part) {
        return NAMES.convertValue(part, PARTS);
    }

    /**
     * Answers an action. One that the database refuses is logged, with who asked for it.
     *
     * @param what what is done, for the log
     */
    static WebEndpointResponse<Object> toAction(String what, Supplier<Object> action) {
        WebEndpointResponse<Object> answer = to(action);
        if (answer.getStatus() == FORBIDDEN) {
            log.warn(
                    "'{}' by {} was refused by the database: grant queue_operator to the role of this application",
                    what.replaceAll("\\p{Cntrl}", "?"),
                    Caller.name());
        }
        return answer;
    }

    /** What the caller got wrong is 400, what is not there 404; a database that is away or too slow is 503. */
    static WebEndpointResponse<Object> to(Supplier<Object> question) {
        try {
            return new WebEndpointResponse<>(question.get());
        } catch (JobNotFoundException | Missing ex) {
            return problem(WebEndpointResponse.STATUS_NOT_FOUND, "Not Found", ex.getMessage());
        } catch (InvalidJobException ex) {
            return problem(WebEndpointResponse.STATUS_BAD_REQUEST, "Bad Request", ex.getMessage());
        } catch (MissingRightException ex) {
            return problem(FORBIDDEN, "Forbidden", ex.getMessage());
        } catch (DataAccessException ex) {
            return problem(WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE, "Service Unavailable", Outage.describe(ex));
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
