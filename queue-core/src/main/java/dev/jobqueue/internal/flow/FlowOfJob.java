package dev.jobqueue.internal.flow;

import dev.jobqueue.Flow;
import dev.jobqueue.FlowStep;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.Json;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** The batch or flow of a job that runs, and what the handler has read of it. */
public final class FlowOfJob {

    private final UUID job;
    private final @Nullable FlowPlace place;

    /** As JSON, by name; empty for steps that the flow does not have. */
    private final Map<String, Optional<String>> results = new ConcurrentHashMap<>();

    /**
     * @param place where the job belongs; {@code null} if to nothing
     */
    public FlowOfJob(UUID job, @Nullable FlowPlace place) {
        this.job = job;
        this.place = place;
    }

    public @Nullable UUID id() {
        return place == null ? null : place.flow();
    }

    public @Nullable String step() {
        return place == null ? null : place.step();
    }

    public UUID requireBatch() {
        if (place == null || place.step() != null) {
            throw refusal(
                    place == null ? "is not a member of a batch" : "is a step of a flow, not a member of a batch");
        }
        return place.flow();
    }

    public UUID requireFlow() {
        if (place == null || place.step() == null) {
            throw refusal(place == null ? "is not a step of a flow" : "is a member of a batch, not a step of a flow");
        }
        return place.flow();
    }

    private InvalidJobException refusal(String problem) {
        return new InvalidJobException("Job %s %s".formatted(job, problem));
    }

    /** Without a result it is {@code null}, or an empty list where there is nobody to have one. */
    @SuppressWarnings("TypeParameterUnusedInFormals") // the type says it, and Java cannot
    public <T> @Nullable T result(String step, Type type, ResultCalls calls, Json json) {
        requireFlow();
        Optional<String> known = results.computeIfAbsent(
                step,
                asked -> Optional.ofNullable(
                        json.readSteps(calls.of(job, List.of(asked))).get(asked)));
        if (known.isEmpty() && !isList(type)) {
            throw refusal("asks for the result of step '%s', which its flow does not have".formatted(step));
        }
        String text = known.orElse("[]");
        return text.equals("null") ? null : json.readStep(step, text, type);
    }

    /**
     * Whether the flow has these steps already: an earlier run added all of them, or none. To be asked in the first
     * attempt as well, which runs again after a snooze, a release or a replay.
     */
    public boolean has(UnaryOperator<Flow> added, ResultCalls calls, Json json) {
        requireFlow();
        List<String> names = added.apply(Flow.of("added")).steps().stream()
                .filter(step ->
                        step.kind() != FlowStep.Kind.EACH || !step.jobs().isEmpty())
                .map(FlowStep::name)
                .toList();
        return json.readSteps(calls.of(job, names)).keySet().containsAll(names);
    }

    /** An empty {@link Flow#each} leaves no step that could have a result. */
    private static boolean isList(Type type) {
        return Iterable.class.isAssignableFrom(ResolvableType.forType(type).resolve(Object.class));
    }
}
