package dev.jobqueue;

import java.util.Optional;
import java.util.UUID;

/**
 * Looks at jobs and acts on them, whichever node has them. Takes part in the caller's transaction if there is one.
 * Thread-safe.
 */
public interface JobOperations {

    /**
     * What is known of a job: live, dead, or finished and still in the history.
     *
     * @param id the id of the job
     * @return what is known, or nothing
     */
    Optional<JobDetails> find(UUID id);

    /**
     * Cancels a job that waits, at once; asks the worker of one that runs, and returns {@link JobState#RUNNING}. A job that
     * has ended stays as it is: whoever cancels it too late learns how it ended.
     *
     * @param id the id of the job
     * @return {@link JobState#CANCELLED}, {@link JobState#RUNNING}, or the state in which the job had ended
     * @throws JobNotFoundException if no job has the id, also if it has ended and its history is gone
     */
    JobState cancel(UUID id);

    /**
     * Makes a dead job pending again, with all its attempts before it.
     *
     * @param id the id of the job
     * @throws JobNotFoundException if no dead job has the id
     */
    void replay(UUID id);

    /**
     * Stops claiming from the queue, on all nodes, until it is resumed; running jobs go on.
     *
     * @param queue the name of the queue
     */
    void pause(String queue);

    /**
     * Lets all nodes claim from the queue again.
     *
     * @param queue the name of the queue
     */
    void resume(String queue);
}
