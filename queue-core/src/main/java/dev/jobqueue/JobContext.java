package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/**
 * What a handler may know of the job it handles, and tell the queue while it does.
 *
 * <p>Calls that reach the database throw {@link LeaseLostException} when the job is no longer this worker's; the
 * handler should then let go. May be used from threads the handler starts, while the handler runs.
 */
public interface JobContext {

    /** {@return the id of the job} */
    UUID id();

    /** {@return the type of the job} */
    String type();

    /** {@return the queue the job is in} */
    String queue();

    /** {@return the number of this attempt, from 1} */
    int attempt();

    /** {@return how many attempts the job gets in all} */
    int maxAttempts();

    /** {@return the headers the job was published with} */
    Map<String, String> headers();

    /** {@return when the job was published, by the database's clock} */
    Instant createdAt();

    /** {@return the schedule that published the job; {@code null} if none did} */
    default @Nullable String scheduleName() {
        return headers().get("schedule");
    }

    /**
     * {@return when the run of the schedule was due, maybe earlier than now; {@code null} if no schedule published it}
     */
    default @Nullable Instant scheduledFor() {
        String time = headers().get("schedule-time");
        return time == null ? null : Instant.parse(time);
    }

    /**
     * Tells how far the job is, for people who watch it. In a transactional handler this, {@link #log} and {@link
     * #extend} are sent by another thread a moment later, because the handler must not wait for a second connection;
     * what is not sent by its end commits together with it.
     *
     * @param percent from 0 to 100
     * @param stage what it does now
     */
    void progress(int percent, @Nullable String stage);

    /**
     * Adds a line to the job's own log.
     *
     * @param message the line
     */
    void log(String message);

    /**
     * Runs the action once for the job, however many attempts it takes: its result is stored, and later attempts get
     * the stored one. In a transactional handler nothing is stored, because an attempt commits as a whole or not at
     * all.
     *
     * @param <T> the result
     * @param name the name of the step, unique within the job
     * @param type the class of the result, which is stored as JSON
     * @param action what to do
     * @return what the action returned, now or in an earlier attempt; read from its JSON each time, so that every
     *     attempt sees the same
     * @throws PermanentJobException if the JSON of the result cannot be read as the type
     * @throws Exception what the action throws
     */
    <T> T step(String name, Class<T> type, Callable<T> action) throws Exception;

    /**
     * Runs a step whose result is of a generic type: {@code new ParameterizedTypeReference<List<Money>>() {}}.
     *
     * @param <T> the result
     * @param name the name of the step, unique within the job
     * @param type the type of the result, which is stored as JSON
     * @param action what to do
     * @return what the action returned, now or in an earlier attempt
     * @throws PermanentJobException if the JSON of the result cannot be read as the type
     * @throws Exception what the action throws
     */
    <T> T step(String name, ParameterizedTypeReference<T> type, Callable<T> action) throws Exception;

    /**
     * Gives this attempt more time than its timeout left it.
     *
     * @param timeout how much, counted from now; more than 0 and at most 10 years
     * @throws InvalidJobException if it is out of that range
     */
    void extend(Duration timeout);

    /**
     * Ends this attempt when the handler returns, without counting it, and comes back after the delay.
     *
     * @param delay how long to wait, from 0 to 10 years
     * @throws InvalidJobException if it is out of that range
     */
    void snooze(Duration delay);

    /**
     * Whether the handler should stop; long loops should look now and then, and throw if it is so: returning means that
     * the work is done.
     *
     * @return {@code true} if somebody asked for the job to be cancelled, the lease is lost, or the node stops and does
     *     not wait any longer
     */
    boolean isCancelled();

    /**
     * Publishes a job; in a transactional handler it commits together with this one's completion.
     *
     * @param job the job
     * @return its id
     */
    UUID publish(Job job);

    /** {@return the batch or flow that the job belongs to; {@code null} if to none} */
    @Nullable
    UUID flowId();

    /** {@return the name of the job's step; {@code null} if it is not a step of a flow} */
    @Nullable
    String flowStep();

    /**
     * Return the result of a step of the job's flow, see {@link From}.
     *
     * @param <T> the result
     * @param step the name of the step
     * @param type the class of the result
     * @return the result; {@code null} if the step returned none or has not completed
     * @throws InvalidJobException if the job is not a step of a flow, or the flow has no such step
     * @throws PermanentJobException if the result cannot be read as the type
     */
    <T> @Nullable T resultOf(String step, Class<T> type);

    /**
     * Return the result of a step of the job's flow, of a generic type: {@code new
     * ParameterizedTypeReference<List<Label>>() {}} for the results of {@link Flow#each}.
     *
     * @param <T> the result
     * @param step the name of the step
     * @param type the type of the result
     * @return the result; {@code null} if the step returned none or has not completed
     * @throws InvalidJobException if the job is not a step of a flow, or the flow has no such step
     * @throws PermanentJobException if the result cannot be read as the type
     */
    <T> @Nullable T resultOf(String step, ParameterizedTypeReference<T> type);

    /**
     * Adds a member to the batch of this job; in a transactional handler it commits together with this one's
     * completion.
     *
     * @param member the job
     * @return its id
     * @throws InvalidJobException if this job is not a member of a batch
     */
    UUID addToBatch(Job member);

    /**
     * Adds steps to the flow of this job; in a transactional handler they commit together with this one's completion.
     *
     * @param steps adds the steps: {@code flow -> flow.step("audit", new Audit()).after("pay")}
     * @return the ids of their jobs, in order
     * @throws InvalidJobException if this job is not a step of a flow
     */
    List<UUID> addSteps(UnaryOperator<Flow> steps);

    /**
     * Adds one step to the flow of this job, as {@link #addSteps} does.
     *
     * @param name its name
     * @param job its {@link Job}, or the payload of one
     * @param after the names of the steps it comes after
     * @return the id of its job
     */
    default UUID addStep(String name, Object job, String... after) {
        return addSteps(flow -> flow.step(name, job).after(after)).get(0);
    }
}
