package dev.jobqueue.internal.publish;

import dev.jobqueue.Flow;
import dev.jobqueue.FlowStep;
import dev.jobqueue.Job;
import dev.jobqueue.internal.Spans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.util.RawValue;

/** Writes steps and the jobs that follow as the functions of flows take them. */
final class FlowJson {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private FlowJson() {}

    /** The jobs of a flow, in the order in which {@link #steps} needs them. */
    static List<Job> jobs(Flow flow) {
        List<Job> jobs = new ArrayList<>();
        flow.steps().forEach(step -> jobs.addAll(step.jobs()));
        jobs.addAll(flow.compensations().values());
        return jobs;
    }

    /**
     * The array of steps.
     *
     * @param jobs those of the flow, prepared
     */
    static String steps(Flow flow, FlowSteps graph, Iterator<NewJob> jobs) {
        ArrayNode array = MAPPER.createArrayNode();
        List<FlowStep> steps = flow.steps();
        List<List<ObjectNode>> written = new ArrayList<>();
        for (FlowStep step : steps) {
            Collection<String> after = graph.after(step);
            List<ObjectNode> nodes = nodes(step, jobs);
            for (ObjectNode node : nodes) {
                node.put("on_parent_dead", step.onParentDead().name());
                if (!after.isEmpty()) {
                    ArrayNode names = node.putArray("after");
                    after.forEach(names::add);
                }
                array.add(node);
            }
            written.add(nodes);
        }
        List<String> names = steps.stream().map(FlowStep::name).toList();
        for (String compensated : flow.compensations().keySet()) {
            ObjectNode spec = spec(jobs.next());
            written.get(names.indexOf(compensated)).forEach(node -> node.set("compensate", spec));
        }
        return MAPPER.writeValueAsString(array);
    }

    private static List<ObjectNode> nodes(FlowStep step, Iterator<NewJob> jobs) {
        return switch (step.kind()) {
            case JOB -> List.of(node("name", step).set("job", spec(jobs.next())));
            case EACH ->
                Stream.generate(() -> node("group", step).set("job", spec(jobs.next())))
                        .limit(step.jobs().size())
                        .toList();
            case SIGNAL, TIMER -> List.of(waiting(step));
        };
    }

    private static ObjectNode node(String key, FlowStep step) {
        return MAPPER.createObjectNode().put(key, step.name());
    }

    private static ObjectNode waiting(FlowStep step) {
        ObjectNode node = node("name", step).put("kind", step.kind().name().toLowerCase(Locale.ROOT));
        if (step.timeout() != null) {
            node.put(step.kind() == FlowStep.Kind.TIMER ? "delay" : "timeout", span(step.timeout()));
        }
        if (step.at() != null) {
            node.put("run_at", step.at().toString());
        }
        return node;
    }

    /** A job that follows; {@code null} if there is none. */
    static @Nullable String callback(@Nullable NewJob job) {
        return job == null ? null : MAPPER.writeValueAsString(spec(job));
    }

    private static ObjectNode spec(NewJob job) {
        ObjectNode node = MAPPER.createObjectNode().put("type", job.type());
        node.putRawValue("payload", new RawValue(job.payload()));
        if (job.queue() != null) {
            node.put("queue", job.queue());
        }
        if (job.priority() != 0) {
            node.put("priority", job.priority());
        }
        if (job.runAt() != null) {
            node.put("run_at", Objects.toString(job.runAt()));
        }
        if (job.delay() != null) {
            node.put("delay", span(job.delay()));
        }
        if (job.maxAttempts() != null) {
            node.put("max_attempts", job.maxAttempts());
        }
        if (job.timeout() != null) {
            node.put("timeout", span(job.timeout()));
        }
        if (job.headers() != null) {
            node.putRawValue("headers", new RawValue(job.headers()));
        }
        if (job.limits() != null) {
            node.putRawValue("limits", new RawValue(job.limits()));
        }
        return node;
    }

    private static String span(Duration span) {
        return Spans.toMillis(span) + " milliseconds";
    }
}
