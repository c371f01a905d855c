package dev.jobqueue.spi;

/**
 * Hears what becomes of jobs on this node. In a Spring application it is enough to declare one as a bean.
 *
 * <p>A listener is called after the fact: it can change nothing, and nobody waits for it. All listeners of a node share
 * one thread, outside of any transaction, and are called in their {@code @Order}. Up to 10,000 events wait for that
 * thread; when a slow listener lets more of them pile up, the ones that do not fit are dropped and counted. What a
 * listener throws is logged now and then and concerns neither the queue nor the other listeners. For work that must be
 * done, publish a job.
 *
 * <p>Each node tells its own listeners what happened on that node: the jobs it published, the runs it handled, the jobs
 * it rescued, the jobs that its {@code JobOperations} cancelled. Listeners hear nothing of what SQL does to jobs.
 * Events of one run come in order; {@link #published} may come after {@link #started} when a job starts at the moment
 * of its commit.
 */
public interface JobListener {

    /**
     * A job was published on this node, by the application or by a schedule, and its transaction has committed. Called
     * again for a job that waited and was replaced ({@code OnConflict.REPLACE}), with its new queue and time; not where
     * a given id was used before, or a unique key was taken and nothing changed; nor for steps of a flow and jobs that
     * follow one, which the database publishes.
     *
     * @param job the job
     */
    default void published(JobEvent.Published job) {}

    /**
     * A run began.
     *
     * @param run the run
     */
    default void started(JobEvent.Started run) {}

    /**
     * A run ended, in whatever way; called before the method for its ending, if there is one.
     *
     * @param run the run
     */
    default void ended(JobEvent.Ended run) {}

    /**
     * A run completed its job.
     *
     * @param run the run
     */
    default void completed(JobEvent.Ended run) {}

    /**
     * An attempt threw or took too long, and another one follows.
     *
     * @param run the run, with its error and the time of the next attempt
     */
    default void attemptFailed(JobEvent.Ended run) {}

    /**
     * A job is dead: its last attempt threw, or it was rescued and no attempt was left.
     *
     * @param run the last run, with its error
     */
    default void dead(JobEvent.Ended run) {}

    /**
     * A job was cancelled, while it waited or while it ran. If it ran on this node, {@link #ended} is called before
     * with the details of the run.
     *
     * @param job the job
     */
    default void cancelled(JobEvent.Cancelled job) {}

    /**
     * This node took a job back from a node that is gone, or after its timeout. {@link #dead} or {@link #cancelled}
     * follows if the job ended so.
     *
     * @param job the job
     */
    default void rescued(JobEvent.Rescued job) {}
}
