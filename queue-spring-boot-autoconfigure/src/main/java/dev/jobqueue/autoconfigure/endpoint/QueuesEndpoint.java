package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.endpoint.Actions.DeadLetters;
import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
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
 *
 * <p>Spring Boot binds each field of a query or body to a parameter of its own, so some methods have many.
 */
@Endpoint(id = "queues", defaultAccess = Access.READ_ONLY)
final class QueuesEndpoint {

    private static final int DEFAULT_LIMIT = 50;
    private static final int MAX_LIMIT = 1000;

    private final Queues queues;
    private final Jobs jobs;
    private final Actions actions;
    private final Flows flows;
    private final @Nullable Schedules schedules;
    private final QueueProperties.Endpoint settings;

    QueuesEndpoint(
            Queues queues,
            Jobs jobs,
            JobOperations operations,
            @Nullable Schedules schedules,
            QueueProperties.Endpoint settings) {
        this.queues = queues;
        this.jobs = jobs;
        this.actions = new Actions(operations);
        this.flows = new Flows(operations);
        this.schedules = schedules;
        this.settings = settings;
    }

    @ReadOperation
    WebEndpointResponse<Object> overview() {
        return Responses.to(queues::overview);
    }

    @ReadOperation
    WebEndpointResponse<Object> list(
            @Selector String things,
            @Nullable String state,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String kind,
            @Nullable String name,
            @Nullable String key,
            @Nullable String after,
            @Nullable String limit,
            SecurityContext caller) {
        return Responses.to(() -> switch (things) {
            case "jobs" -> {
                JobFilter filter = JobFilter.of(Arguments.state(state))
                        .queue(Arguments.text("queue", queue))
                        .type(Arguments.text("type", type));
                yield jobs.list(filter, Arguments.text("after", after), limit(limit));
            }
            case "flows" -> {
                FlowFilter filter = FlowFilter.all()
                        .kind(Arguments.oneOf("kind", kind, FlowKind.class))
                        .state(Arguments.oneOf("state", state, FlowState.class))
                        .name(Arguments.text("name", name))
                        .key(Arguments.text("key", key));
                yield flows.list(filter, Arguments.text("after", after), limit(limit));
            }
            case "nodes" -> queues.nodes();
            case "limits" -> queues.limits().list();
            case "schedules" -> schedules().list(showsPayloads(caller));
            default ->
                throw Responses.missing("There is no '%s' here, but there are: jobs, flows, nodes, limits, schedules"
                        .formatted(things));
        });
    }

    @ReadOperation
    WebEndpointResponse<Object> show(@Selector String thing, @Selector String name, SecurityContext caller) {
        return Responses.to(() -> switch (thing) {
            case "queue" -> queues.one(name);
            case "job" -> jobs.show(Arguments.id(name), showsPayloads(caller));
            case "flow", "flows" -> flows.show(Arguments.id(name));
            case "limit" -> queues.limits().one(name);
            case "schedule" -> schedules().one(name, showsPayloads(caller));
            default -> throw nothing(thing);
        });
    }

    @ReadOperation
    WebEndpointResponse<Object> explain(
            @Selector String thing,
            @Selector String name,
            @Selector String question,
            @Nullable String blocked,
            @Nullable String after,
            @Nullable String limit) {
        return Responses.to(() -> switch (thing + "/" + question) {
            case "job/why" -> jobs.why(Arguments.id(name));
            case "limit/lanes" -> {
                Integer size = Arguments.number("limit", limit, MAX_LIMIT);
                yield queues.limits()
                        .lanes(
                                name,
                                new JobCursor(after == null ? "" : after),
                                size == null ? DEFAULT_LIMIT : size,
                                Arguments.yes("blocked", blocked, false));
            }
            default ->
                throw Responses.missing("There is no '%s/%s' here, but there are: job/ID/why, limit/NAME/lanes"
                        .formatted(thing, question));
        });
    }

    @WriteOperation
    WebEndpointResponse<Object> act(@Selector String thing, @Selector String name, @Selector String action) {
        return act(thing, name, action, () -> Limits.Change.NONE);
    }

    /** The same with a body, which only actions on limits read. Boot asks for a body where one can be given. */
    @WriteOperation
    WebEndpointResponse<Object> actWithValues(
            @Selector String thing,
            @Selector String name,
            @Selector String action,
            @Nullable String running,
            @Nullable String rate,
            @Nullable String burst,
            @Nullable String key,
            @Nullable String duration) {
        return act(thing, name, action, () -> Limits.Change.of(running, rate, burst, key, duration));
    }

    private WebEndpointResponse<Object> act(String thing, String name, String action, Supplier<Limits.Change> values) {
        return Responses.toAction("%s %s: %s".formatted(thing, name, action), () -> switch (thing) {
            case "queue" -> {
                queues.one(name);
                yield actions.onQueue(name, action);
            }
            case "job" -> actions.onJob(Arguments.id(name), action);
            case "flow", "flows" -> flows.act(Arguments.id(name), action);
            case "limit" -> queues.limits().act(name, action, values.get());
            case "schedule" -> schedules().act(name, action);
            default -> throw nothing(thing);
        });
    }

    /** Only counts unless {@code dryRun} is false: Boot drops a misspelt filter from the body of a request. */
    @WriteOperation
    WebEndpointResponse<Object> actOnAll(
            @Selector String things,
            @Selector String action,
            @Nullable String queue,
            @Nullable String type,
            @Nullable String errorLike,
            @Nullable String olderThan,
            @Nullable String max,
            @Nullable String all,
            @Nullable String dryRun) {
        return Responses.toAction("%s: %s".formatted(things, action), () -> {
            if (!things.equals("dead-letters")) {
                throw Responses.missing("There is no '%s' here, but there are: dead-letters".formatted(things));
            }
            DeadLetters which = new DeadLetters(
                    Arguments.text("queue", queue),
                    Arguments.text("type", type),
                    Arguments.text("errorLike", errorLike),
                    Arguments.duration("olderThan", olderThan),
                    Arguments.number("max", max, Integer.MAX_VALUE),
                    Arguments.yes("all", all, false));
            return actions.onDeadLetters(action, which, Arguments.yes("dryRun", dryRun, true));
        });
    }

    private static int limit(@Nullable String limit) {
        Integer size = Arguments.number("limit", limit, MAX_LIMIT);
        return size == null ? DEFAULT_LIMIT : size;
    }

    private boolean showsPayloads(SecurityContext caller) {
        return Show.valueOf(settings.showPayloads().name()).isShown(caller, settings.roles());
    }

    private Schedules schedules() {
        return Responses.found(schedules, "This application has no schedules");
    }

    private static Responses.Missing nothing(String thing) {
        return Responses.missing(
                "There is no '%s' here, but there are: queue, job, flow, limit, schedule".formatted(thing));
    }
}
