package dev.jobqueue;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
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
        return publishAllWithOutcome(List.of(Objects.requireNonNull(job, "job")))
                .get(0);
    }

    /**
     * Publishes all of the jobs or, if one is refused, none, and tells which of them were added.
     *
     * @param jobs the jobs
     * @return their ids and what happened, in order
     */
    List<PublishResult> publishAllWithOutcome(Collection<Job> jobs);
}
