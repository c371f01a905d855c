package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps that depend on each other. A step is a job that is published when the steps it comes {@link #after} have
 * completed. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * jobs.publish(Flow.of("order", orderId)
 *         .step("pay", new Pay(orderId))
 *         .step("pack", new Pack(orderId)).after("pay")
 *         .each("label", items, Label::new).after("pack")
 *         .step("mail", new Mail(orderId)).after("label")
 *         .compensate("pay", new Refund(orderId)));
 * }</pre>
 *
 * <p>{@link #after} and {@link #onParentDead} say something about the step before them. Steps may be named before they
 * are added. Delays, limits, priorities, timeouts and retries of a job count from when its step is free; it has no id,
 * unique key or debounce of its own. Handlers get the results of earlier steps by {@link From}.
 *
 * <p>Doubled names, unknown steps and cycles are refused when the flow is published: {@link InvalidJobException} names
 * them.
 */
public final class Flow {

    private final Draft draft;

    private Flow(Draft draft) {
        this.draft = draft;
    }

    /**
     * Create a flow without steps.
     *
     * @param name what it is, such as {@code order}; many flows may have the same name
     * @return the flow
     */
    public static Flow of(String name) {
        return new Flow(new Draft(Objects.requireNonNull(name, "name")));
    }

    /**
     * Create a flow without steps and with a key: while a flow of the same name and key has not finished, publishing
     * another one adds nothing and returns the id of the first.
     *
     * @param name what it is, such as {@code order}
     * @param key the key, whose {@code toString} counts
     * @return the flow
     */
    public static Flow of(String name, Object key) {
        String text = Objects.requireNonNull(key, "key").toString();
        return of(name).copy(draft -> draft.key = text);
    }

    static Job job(Object given) {
        return Objects.requireNonNull(given, "job") instanceof Job job ? job : Job.of(given);
    }

    private Flow copy(Consumer<Draft> change) {
        Draft copy = new Draft(draft);
        change.accept(copy);
        return new Flow(copy);
    }

    private Flow add(FlowStep step) {
        return copy(draft -> draft.last = new Chain(draft.last, step));
    }

    private Flow changeLast(String method, Function<FlowStep, FlowStep> change) {
        Chain last = draft.last;
        if (last == null) {
            throw new InvalidJobException("%s says something about the step before it, and flow '%s' has none yet"
                    .formatted(method, draft.name));
        }
        return copy(draft -> draft.last = new Chain(last.before, change.apply(last.step)));
    }

    /**
     * Add a step.
     *
     * @param name its name, unique within the flow
     * @param job its {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Flow step(String name, Object job) {
        return add(FlowStep.of(name, FlowStep.Kind.JOB, List.of(job(job))));
    }

    /**
     * Add a step that comes after the one that was added before it; the first step if there is none.
     *
     * @param name its name, unique within the flow
     * @param job its {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Flow then(String name, Object job) {
        Chain last = draft.last;
        Flow added = step(name, job);
        return last == null ? added : added.after(last.step.name());
    }

    /**
     * Add a job for each of the items. The steps are named together: one that comes after them waits for all of them,
     * and gets their results as a list. Without items, it waits for what these would have come after.
     *
     * @param <T> the item
     * @param name the name of all of them, unique within the flow
     * @param items the items
     * @param job makes the {@link Job} of an item, or the payload of one
     * @return a changed copy
     */
    public <T> Flow each(String name, Iterable<T> items, Function<? super T, ?> job) {
        List<Job> jobs = new ArrayList<>();
        items.forEach(item -> jobs.add(job(job.apply(item))));
        return add(FlowStep.of(name, FlowStep.Kind.EACH, jobs));
    }

    /**
     * Add a step that waits for {@link JobPublisher#signal}. What the signal carries is its result.
     *
     * @param name the name of the signal, unique within the flow
     * @return a changed copy
     */
    public Flow signal(String name) {
        return add(FlowStep.of(name, FlowStep.Kind.SIGNAL, List.of()));
    }

    /**
     * Add a step that waits for {@link JobPublisher#signal}, and is dead if none has come in time.
     *
     * @param name the name of the signal, unique within the flow
     * @param timeout how long to wait, from when the step is free
     * @return a changed copy
     */
    public Flow signal(String name, Duration timeout) {
        Ranges.requireTimeout("timeout", Objects.requireNonNull(timeout, "timeout"));
        return signal(name).changeLast("signal", step -> step.timeout(timeout));
    }

    /**
     * Add a step that waits for a time.
     *
     * @param name its name, unique within the flow
     * @param delay how long, from when the step is free
     * @return a changed copy
     */
    public Flow timer(String name, Duration delay) {
        Ranges.requireDelay("delay", Objects.requireNonNull(delay, "delay"));
        return add(FlowStep.of(name, FlowStep.Kind.TIMER, List.of()).timeout(delay));
    }

    /**
     * Add a step that waits until a time.
     *
     * @param name its name, unique within the flow
     * @param at when it ends
     * @return a changed copy
     */
    public Flow timer(String name, Instant at) {
        Ranges.requireTime("at", Objects.requireNonNull(at, "at"));
        return add(FlowStep.of(name, FlowStep.Kind.TIMER, List.of()).at(at));
    }

    /**
     * Let the last step that was added wait until these have completed, besides those named before.
     *
     * @param names the names of steps, whether added already or not
     * @return a changed copy
     */
    public Flow after(String... names) {
        return changeLast("after", step -> {
            List<String> all = new ArrayList<>(step.after());
            Collections.addAll(all, names);
            return step.after(all);
        });
    }

    /**
     * Set what becomes of the last step that was added, when one that it comes after is dead or cancelled.
     *
     * @param policy what becomes of it; the default is {@link OnParentDead#CANCEL}
     * @return a changed copy
     */
    public Flow onParentDead(OnParentDead policy) {
        Objects.requireNonNull(policy, "policy");
        return changeLast("onParentDead", step -> step.onParentDead(policy));
    }

    /**
     * Undo a step with this job if the step completed and the flow fails. Such jobs run when all steps have ended, one
     * after the other, that of the step which completed last first; they can read results, as steps do.
     *
     * @param step the name of the step
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Flow compensate(String step, Object job) {
        Job given = job(job);
        return copy(draft -> {
            Map<String, Job> changed = new LinkedHashMap<>(draft.compensations);
            if (changed.put(Objects.requireNonNull(step, "step"), given) != null) {
                throw new InvalidJobException("Flow '%s' compensates step '%s' twice".formatted(draft.name, step));
            }
            draft.compensations = Collections.unmodifiableMap(changed);
        });
    }

    /**
     * Publish this job when all steps have completed, once.
     *
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Flow onSuccess(Object job) {
        Job given = job(job);
        return copy(draft -> draft.onSuccess = given);
    }

    /**
     * Publish this job when all steps and compensations have ended, however they did; once in each round, as a
     * {@link Batch} does.
     *
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Flow onFinish(Object job) {
        Job given = job(job);
        return copy(draft -> draft.onFinish = given);
    }

    /**
     * Publish this job when the first step is dead, once.
     *
     * @param job a {@link Job}, or the payload of one
     * @return a changed copy
     */
    public Flow onDeath(Object job) {
        Job given = job(job);
        return copy(draft -> draft.onDeath = given);
    }

    /** {@return its name} */
    public String name() {
        return draft.name;
    }

    /** {@return its key, if it has one} */
    public @Nullable String key() {
        return draft.key;
    }

    /** {@return its steps, in the order in which they were added} */
    public List<FlowStep> steps() {
        List<FlowStep> steps = new ArrayList<>();
        for (Chain each = draft.last; each != null; each = each.before) {
            steps.add(each.step);
        }
        Collections.reverse(steps);
        return Collections.unmodifiableList(steps);
    }

    /** {@return the jobs that undo steps, by the names of these} */
    public Map<String, Job> compensations() {
        return draft.compensations;
    }

    /** {@return the job that follows when all steps have completed, if there is one} */
    public @Nullable Job onSuccess() {
        return draft.onSuccess;
    }

    /** {@return the job that follows when all steps have ended, if there is one} */
    public @Nullable Job onFinish() {
        return draft.onFinish;
    }

    /** {@return the job that follows the first death, if there is one} */
    public @Nullable Job onDeath() {
        return draft.onDeath;
    }

    /** {@return its name and key} */
    @Override
    public String toString() {
        return "Flow[name=%s, key=%s]".formatted(draft.name, draft.key);
    }

    /** The steps from the last to the first: copies share what they have in common. */
    private record Chain(@Nullable Chain before, FlowStep step) {}

    private static final class Draft {

        final String name;

        @Nullable
        String key;

        @Nullable
        Chain last;

        Map<String, Job> compensations = Map.of();

        @Nullable
        Job onSuccess;

        @Nullable
        Job onFinish;

        @Nullable
        Job onDeath;

        Draft(String name) {
            this.name = name;
        }

        Draft(Draft other) {
            this.name = other.name;
            this.key = other.key;
            this.last = other.last;
            this.compensations = other.compensations;
            this.onSuccess = other.onSuccess;
            this.onFinish = other.onFinish;
            this.onDeath = other.onDeath;
        }
    }
}
