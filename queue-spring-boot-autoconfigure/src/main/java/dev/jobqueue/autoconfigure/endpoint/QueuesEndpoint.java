package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.autoconfigure.QueueProperties;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Looks at the queues and acts on them. The plural lists ({@code jobs}, {@code nodes}), the singular names one
 * ({@code job/ID}, {@code queue/NAME}). Acting needs {@code management.endpoint.queues.access=unrestricted}.
 */
@Endpoint(id = "queues", defaultAccess = Access.READ_ONLY)
final class QueuesEndpoint {

    private static final int DEFAULT_LIMIT = 50;

    private final Queues queues;
    private final Jobs jobs;
    private final Actions actions;
    private final @Nullable Schedules schedules;
    private final QueueProperties.Endpoint settings;

    QueuesEndpoint(
            Queues queues,
            Jobs jobs,
            Actions actions,
            @Nullable Schedules schedules,
            QueueProperties.Endpoint settings) {
        this.queues = queues;
        this.jobs = jobs;
        this.actions = actions;
        this.schedules = schedules;
        this.settings = settings;
    }

    @ReadOperation
    Map<String, Object> overview() {
        return queues.overview();
    }

    @ReadOperation
    @Nullable
    Object list(
            @Selector String things,
            @Nullable String state,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String after,
            @Nullable Integer limit,
            SecurityContext caller) {
        return switch (things) {
            case "jobs" ->
                checked(() -> jobs.list(state(state), queue, type, after, limit == null ? DEFAULT_LIMIT : limit));
            case "nodes" -> queues.nodes();
            case "schedules" -> schedules == null ? null : schedules.list(showsPayloads(caller));
            default -> null;
        };
    }

    @ReadOperation
    @Nullable
    Object show(@Selector String thing, @Selector String name, SecurityContext caller) {
        return switch (thing) {
            case "queue" -> queues.one(name);
            case "job" -> jobs.show(id(name), showsPayloads(caller));
            case "schedule" -> schedules == null ? null : schedules.one(name, showsPayloads(caller));
            default -> null;
        };
    }

    @ReadOperation
    @Nullable
    Object explain(@Selector String thing, @Selector String name, @Selector String question) {
        return thing.equals("job") && question.equals("why") ? jobs.why(id(name)) : null;
    }

    @WriteOperation
    WebEndpointResponse<Object> act(@Selector String thing, @Selector String name, @Selector String action) {
        return done(() -> switch (thing) {
            case "queue" -> actions.onQueue(name, action);
            case "job" -> actions.onJob(id(name), action);
            case "schedule" -> schedules == null ? null : schedules.act(name, action);
            default -> null;
        });
    }

    @WriteOperation
    WebEndpointResponse<Object> actOnAll(
            @Selector String things,
            @Selector String action,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String errorLike,
            @Nullable String olderThan,
            @Nullable Integer max,
            @Nullable Boolean dryRun) {
        return done(() -> things.equals("dead-letters")
                ? actions.onDeadLetters(
                        action,
                        new Actions.DeadLetters(queue, type, errorLike, Actions.duration(olderThan), max),
                        Boolean.TRUE.equals(dryRun))
                : null);
    }

    /** For Boot, a write that returns nothing was done; here it found nothing to do. */
    private static WebEndpointResponse<Object> done(Supplier<@Nullable Object> operation) {
        Object result = checked(operation);
        return result == null
                ? new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)
                : new WebEndpointResponse<>(result);
    }

    private boolean showsPayloads(SecurityContext caller) {
        return Show.valueOf(settings.showPayloads().name()).isShown(caller, settings.roles());
    }

    private static JobState state(@Nullable String state) {
        if (state == null) {
            throw invalid("The parameter 'state' is missing");
        }
        try {
            return JobState.valueOf(state.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException ex) {
            throw invalid("'%s' is no state of a job".formatted(state));
        }
    }

    private static UUID id(String text) {
        try {
            return UUID.fromString(text);
        } catch (IllegalArgumentException ex) {
            throw invalid("'%s' is no id of a job".formatted(text));
        }
    }

    /** What the caller got wrong is 400, what is not there 404. */
    private static @Nullable Object checked(Supplier<@Nullable Object> operation) {
        try {
            return operation.get();
        } catch (JobNotFoundException ex) {
            return null;
        } catch (InvalidJobException ex) {
            throw invalid(String.valueOf(ex.getMessage()));
        }
    }

    static InvalidEndpointRequestException invalid(String message) {
        return new InvalidEndpointRequestException(message, message);
    }
}
