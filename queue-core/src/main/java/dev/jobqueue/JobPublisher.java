package dev.jobqueue;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Publishes jobs. Inside a transaction a job commits or rolls back with it: rolled back means never seen. Outside of
 * one the job is durable when the call returns; concurrent calls then share round trips and commits.
 *
 * <p>Bad values get an {@link InvalidJobException} and nothing is published. Thread-safe.
 */
public interface JobPublisher {

    /**
     * Publishes a job whose type is named by {@link JobType}, or by the one handler that takes such a payload.
     *
     * @param payload what the job carries
     * @return the id of the job
     */
    default UUID publish(Object payload) {
        return publish(Job.of(payload));
    }

    /**
     * Publishes a job of the given type.
     *
     * @param type the type
     * @param payload what the job carries; {@code null} is published as an empty object
     * @return the id of the job
     */
    default UUID publish(String type, @Nullable Object payload) {
        return publish(Job.of(type, payload));
    }

    /**
     * Publishes a job.
     *
     * @param job the job
     * @return its id; with a unique key that is taken, the id of the job that has it
     * @throws JobExistsException if the unique key is taken and the job says {@link OnConflict#FAIL}
     */
    UUID publish(Job job);

    /**
     * Publishes all of the jobs or, if one is refused, none.
     *
     * @param jobs the jobs
     * @return their ids in order
     */
    List<UUID> publishAll(Collection<Job> jobs);

    /**
     * Publishes a job, and tells whether that added one.
     *
     * @param job the job
     * @return its id and what happened
     */
    default PublishResult publishWithOutcome(Job job) {
        return publishAllWithOutcome(List.of(job)).get(0);
    }

    /**
     * Publishes all of the jobs or, if one is refused, none, and tells which of them were added.
     *
     * @param jobs the jobs
     * @return their ids and what happened, in order
     */
    List<PublishResult> publishAllWithOutcome(Collection<Job> jobs);

    /**
     * Publishes a batch with all its members or, if one is refused, nothing. Members are read and stored some at a
     * time, in the caller's transaction or in one of their own.
     *
     * @param batch the batch
     * @return its id; if an unfinished batch has its name and key, the id of that one, and nothing is added
     */
    UUID publish(Batch batch);

    /**
     * Publishes a flow with all its steps.
     *
     * @param flow the flow
     * @return its id; if an unfinished flow has its name and key, the id of that one, and nothing is added
     */
    UUID publish(Flow flow);

    /**
     * Adds members to a batch that is there. If it has finished, it goes on, and finishes once more.
     *
     * @param batch the id of the batch
     * @param members the jobs
     * @return their ids in order
     * @throws JobNotFoundException if there is no such batch
     */
    List<UUID> addToBatch(UUID batch, Collection<Job> members);

    /**
     * Adds steps to a flow that is there: {@code addSteps(id, flow -> flow.step("audit", new Audit()).after("pay"))}.
     * They may come after steps that the flow has. If it has finished, it goes on, and finishes once more.
     *
     * @param flow the id of the flow
     * @param steps adds the steps
     * @return the ids of their jobs, in order
     * @throws JobNotFoundException if there is no such flow
     */
    List<UUID> addSteps(UUID flow, UnaryOperator<Flow> steps);

    /**
     * Tells a flow what one of its steps waits for. The first signal of a name counts, also before its step is free.
     *
     * @param flow the id of the flow
     * @param name the name of the step, see {@link Flow#signal}
     * @param payload the result of the step; {@code null} for none
     * @return whether it counts: none came before, and the step has not ended
     * @throws JobNotFoundException if there is no such flow
     * @throws InvalidJobException if it waits for no such signal
     */
    boolean signal(UUID flow, String name, @Nullable Object payload);
}
