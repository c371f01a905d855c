package dev.jobqueue.test;

import dev.jobqueue.Flow;
import dev.jobqueue.FlowStep;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.LeaseLostException;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A {@link JobContext} for tests of a handler alone, without Spring and without a database. It does what the handler
 * asks for and remembers it: steps run once and go through JSON, as they do in production.
 *
 * <pre>{@code
 * FakeJobContext job = new FakeJobContext();
 * handler.send(new SendInvoice(42, "ada@example.org"), job);
 * assertThat(job.steps()).containsKey("render");
 * handler.send(new SendInvoice(42, "ada@example.org"), job.nextAttempt());
 * }</pre>
 */
public final class FakeJobContext implements JobContext {

    private static final JsonMapper JSON = JsonMapper.builder()
            .findAndAddModules()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private static final Duration LONGEST = Duration.ofDays(3_650);

    private final UUID id = UUID.randomUUID();
    private final Map<String, String> headers = new LinkedHashMap<>();
    private final Map<String, String> steps = new LinkedHashMap<>();
    private final List<Progress> progress = new ArrayList<>();
    private final List<String> logs = new ArrayList<>();
    private final List<Job> published = new ArrayList<>();
    private final Map<String, String> results = new LinkedHashMap<>();
    private final List<Job> addedMembers = new ArrayList<>();
    private final List<FlowStep> addedSteps = new ArrayList<>();
    private final Instant createdAt = Instant.now();
    private String type = "test";
    private String queue = "default";
    private int attempt = 1;
    private int maxAttempts = 3;
    private @Nullable Duration extended;
    private @Nullable Duration snoozed;
    private @Nullable UUID flowId;
    private @Nullable String flowStep;
    private boolean cancelled;
    private boolean leaseLost;

    /** The first of three attempts of a job of type {@code test} in the queue {@code default}. */
    public FakeJobContext() {}

    /**
     * What the handler told by {@link JobContext#progress}.
     *
     * @param percent how far it is
     * @param stage what it does
     */
    public record Progress(int percent, @Nullable String stage) {}

    /**
     * Sets the type of the job.
     *
     * @param type the type
     * @return this
     */
    public FakeJobContext type(String type) {
        this.type = type;
        return this;
    }

    /**
     * Sets the queue of the job.
     *
     * @param queue the queue
     * @return this
     */
    public FakeJobContext queue(String queue) {
        this.queue = queue;
        return this;
    }

    /**
     * Sets which attempt this is.
     *
     * @param attempt the number, from 1
     * @param maxAttempts how many there may be
     * @return this
     */
    public FakeJobContext attempt(int attempt, int maxAttempts) {
        this.attempt = attempt;
        this.maxAttempts = maxAttempts;
        return this;
    }

    /**
     * Adds a header.
     *
     * @param name its name
     * @param value its value
     * @return this
     */
    public FakeJobContext header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    /**
     * Makes this a step of a flow.
     *
     * @param step the name of the step
     * @return this
     */
    public FakeJobContext flowStep(String step) {
        flowId = UUID.randomUUID();
        flowStep = step;
        return this;
    }

    /**
     * Makes this a member of a batch.
     *
     * @return this
     */
    public FakeJobContext memberOfBatch() {
        flowId = UUID.randomUUID();
        return this;
    }

    /**
     * Sets what another step of the flow returned, for {@link #resultOf}.
     *
     * @param step the name of the step
     * @param result what it returned; goes through JSON, as it does in production
     * @return this
     */
    public FakeJobContext result(String step, @Nullable Object result) {
        results.put(step, JSON.writeValueAsString(result));
        return this;
    }

    /**
     * Makes this the next attempt of the job: finished steps stay, what this attempt asked for is forgotten.
     *
     * @return this
     */
    public FakeJobContext nextAttempt() {
        attempt++;
        extended = null;
        snoozed = null;
        cancelled = false;
        leaseLost = false;
        return this;
    }

    /**
     * Asks the handler to stop.
     *
     * @return this
     */
    public FakeJobContext cancel() {
        cancelled = true;
        return this;
    }

    /**
     * Takes the lease: from now on, what reaches the database throws {@link LeaseLostException}.
     *
     * @return this
     */
    public FakeJobContext loseLease() {
        leaseLost = true;
        cancelled = true;
        return this;
    }

    /** {@return the JSON of the results of finished steps, by name} */
    public Map<String, String> steps() {
        return Map.copyOf(steps);
    }

    /** {@return what the handler told of its progress} */
    public List<Progress> progress() {
        return List.copyOf(progress);
    }

    /** {@return what the handler logged} */
    public List<String> logs() {
        return List.copyOf(logs);
    }

    /** {@return what the handler published} */
    public List<Job> published() {
        return List.copyOf(published);
    }

    /** {@return the members that the handler added to its batch} */
    public List<Job> addedMembers() {
        return List.copyOf(addedMembers);
    }

    /** {@return the steps that the handler added to its flow} */
    public List<FlowStep> addedSteps() {
        return List.copyOf(addedSteps);
    }

    /** {@return the time that the handler asked for with {@link #extend}; {@code null} if it did not} */
    public @Nullable Duration extended() {
        return extended;
    }

    /** {@return after which time the handler wants to come back; {@code null} if it did not snooze} */
    public @Nullable Duration snoozed() {
        return snoozed;
    }

    @Override
    public UUID id() {
        return id;
    }

    @Override
    public String type() {
        return type;
    }

    @Override
    public String queue() {
        return queue;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public int maxAttempts() {
        return maxAttempts;
    }

    @Override
    public Map<String, String> headers() {
        return Map.copyOf(headers);
    }

    @Override
    public Instant createdAt() {
        return createdAt;
    }

    @Override
    public void progress(int percent, @Nullable String stage) {
        requireLease();
        if (percent < 0 || percent > 100) {
            throw new InvalidJobException("percent is '%d': must be between 0 and 100".formatted(percent));
        }
        progress.add(new Progress(percent, stage));
    }

    @Override
    public void log(String message) {
        requireLease();
        logs.add(message);
    }

    @Override
    public <T> T step(String name, Class<T> resultType, Callable<T> action) throws Exception {
        return step(name, (Type) resultType, action);
    }

    @Override
    public <T> T step(String name, ParameterizedTypeReference<T> resultType, Callable<T> action) throws Exception {
        return step(name, resultType.getType(), action);
    }

    private <T> T step(String name, Type resultType, Callable<T> action) throws Exception {
        if (!steps.containsKey(name)) {
            String result = JSON.writeValueAsString(action.call());
            requireLease();
            steps.put(name, result);
        }
        return JSON.readValue(steps.get(name), JSON.constructType(resultType));
    }

    @Override
    public void extend(Duration timeout) {
        requireSpan("timeout", timeout);
        requireLease();
        extended = timeout;
    }

    @Override
    public void snooze(Duration delay) {
        requireSpan("delay", delay);
        snoozed = delay;
    }

    @Override
    public boolean isCancelled() {
        return cancelled;
    }

    @Override
    public UUID publish(Job job) {
        requireLease();
        published.add(job);
        UUID given = job.id();
        return given == null ? UUID.randomUUID() : given;
    }

    @Override
    public @Nullable UUID flowId() {
        return flowId;
    }

    @Override
    public @Nullable String flowStep() {
        return flowStep;
    }

    @Override
    public <T> @Nullable T resultOf(String step, Class<T> resultType) {
        return resultOf(step, (Type) resultType);
    }

    @Override
    public <T> @Nullable T resultOf(String step, ParameterizedTypeReference<T> resultType) {
        return resultOf(step, resultType.getType());
    }

    @SuppressWarnings("TypeParameterUnusedInFormals") // the type says it, and Java cannot
    private <T> @Nullable T resultOf(String step, Type resultType) {
        String result = results.get(step);
        if (result == null) {
            throw new InvalidJobException(
                    "Job %s asks for the result of step '%s', which result(...) did not set".formatted(id, step));
        }
        return result.equals("null") ? null : JSON.readValue(result, JSON.constructType(resultType));
    }

    @Override
    public UUID addToBatch(Job member) {
        requireLease();
        if (flowId == null || flowStep != null) {
            throw new InvalidJobException("Job %s is not a member of a batch".formatted(id));
        }
        addedMembers.add(member);
        return UUID.randomUUID();
    }

    @Override
    public List<UUID> addSteps(UnaryOperator<Flow> steps) {
        requireLease();
        if (flowStep == null) {
            throw new InvalidJobException("Job %s is not a step of a flow".formatted(id));
        }
        List<FlowStep> added = steps.apply(Flow.of("test")).steps();
        addedSteps.addAll(added);
        return added.stream()
                .flatMap(step -> step.jobs().stream())
                .map(job -> UUID.randomUUID())
                .toList();
    }

    private static void requireSpan(String what, Duration span) {
        if (span.isNegative() || span.compareTo(LONGEST) > 0) {
            throw new InvalidJobException("%s is '%s': must be at least 0 and at most 10 years".formatted(what, span));
        }
    }

    private void requireLease() {
        if (leaseLost) {
            throw new LeaseLostException("Job %s ('%s') is no longer this worker's".formatted(id, type));
        }
    }
}
