package dev.jobqueue.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.schedule.JobSchedules;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Looks at jobs, queues, limits and nodes and acts on them, whichever node has them. {@link JobSchedules} does so for
 * schedules. Takes part in the caller's transaction if there is one. Thread-safe.
 *
 * <p>Looking costs the same with ten jobs as with millions: lists come in pages, and counting stops at a limit. Wrong
 * arguments get an {@link InvalidJobException} that names the argument, and nothing is changed.
 */
public interface JobOperations {

    /**
     * Return what is known of a job: live, dead, or finished and still in the history.
     *
     * @param id the id of the job
     * @return what is known, or nothing
     */
    Optional<JobDetails> find(UUID id);

    /**
     * Return a page of the jobs that match a filter. {@link JobState#PENDING} jobs come in the order of claims and
     * {@link JobState#SCHEDULED} ones in that of their time, queue by queue; {@link JobState#RUNNING} ones by the time
     * they were claimed, ended ones the newest first.
     *
     * @param filter which jobs
     * @param after where the page begins: {@link JobCursor#START}, or {@link JobPage#next()} of the page before
     * @param limit how many jobs at most, from 1 to 1,000
     * @return the page
     */
    JobPage find(JobFilter filter, JobCursor after, int limit);

    /**
     * Count the jobs that match a filter, up to 10,000, or earlier where few of very many jobs match: no more than
     * 20,000 are looked at.
     *
     * @param filter which jobs
     * @return how many
     */
    JobCount count(JobFilter filter);

    /**
     * Return the jobs that match a filter, to act on all of them. Nothing happens before one of its actions is called.
     *
     * @param filter which jobs
     * @return the jobs
     */
    MatchingJobs all(JobFilter filter);

    /**
     * Return why a job is not running, or not any more, the most telling reason first.
     *
     * @param id the id of the job
     * @return at least one reason
     * @throws JobNotFoundException if no job has the id, also if it has ended and its history is gone
     */
    List<JobReason> why(UUID id);

    /**
     * Cancels a job that waits, at once; asks the worker of one that runs, and returns {@link JobState#RUNNING}. A job
     * that has ended stays as it is: whoever cancels it too late learns how it ended.
     *
     * @param id the id of the job
     * @return {@link JobState#CANCELLED}, {@link JobState#RUNNING}, or the state in which the job had ended
     * @throws JobNotFoundException if no job has the id, also if it has ended and its history is gone
     */
    JobState cancel(UUID id);

    /**
     * Makes a job pending now that waits for its time: published for later, snoozed, or backing off.
     *
     * @param id the id of the job
     * @throws JobNotFoundException if no live job has the id
     * @throws InvalidJobException if it does not wait for its time
     */
    void retry(UUID id);

    /**
     * Makes a dead job pending again, with all its attempts before it.
     *
     * @param id the id of the job
     * @throws JobNotFoundException if no dead job has the id
     * @throws InvalidJobException if a live job of its type holds its unique key
     */
    void replay(UUID id);

    /**
     * Deletes a dead job for good, with its steps and events.
     *
     * @param id the id of the job
     * @throws JobNotFoundException if no dead job has the id
     */
    void purge(UUID id);

    /**
     * Gives a job another priority, and so another place among those that wait. A job that runs goes on; its new
     * priority counts if it is tried again.
     *
     * @param id the id of the job
     * @param priority any integer; higher runs first
     * @return the state of the job
     * @throws JobNotFoundException if no live job has the id
     */
    JobState reprioritise(UUID id, int priority);

    /**
     * Makes a job that waits due at another time; at once, if the time is past.
     *
     * @param id the id of the job
     * @param runAt when it is due
     * @return {@link JobState#SCHEDULED}, or {@link JobState#PENDING} if the time is past
     * @throws JobNotFoundException if no live job has the id
     * @throws InvalidJobException if it runs
     */
    JobState reschedule(UUID id, Instant runAt);

    /** {@return all queues that have jobs or settings or are worked, by name, with their figures} */
    List<QueueFigures> queues();

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

    /** {@return the limits and their lanes, to look at and to change at run time} */
    JobLimits limits();

    /** {@return the nodes that work, live ones and for a day dead ones, the latest first} */
    List<NodeFigures> nodes();

    /** {@return the types that wait and that no live node of their queue handles} */
    List<UnhandledType> unhandledTypes();

    /**
     * Return what ended over time, the oldest first: one for each step, also where nothing ended.
     *
     * @param queue of which queue; {@code null} for all
     * @param type of which type; {@code null} for all
     * @param span how far back, at most 25 hours; 15 minutes if the step is shorter than a minute
     * @param step how long each takes, from 10 seconds to a day
     * @return what ended
     */
    List<Throughput> throughput(@Nullable String queue, @Nullable String type, Duration span, Duration step);

    /**
     * Return what ended over time, minute by minute, of each queue in which something ended; minutes in which nothing
     * did are left out, and so are averages. An empty name stands for all queues.
     *
     * @param span how far back, from 1 minute to 1 hour
     * @return what ended, by queue
     */
    Map<String, List<Throughput>> throughputByQueue(Duration span);

    /**
     * Return the dead jobs by their errors, the group that grew last first. Where there are more than 1,000 groups,
     * some of them are left out.
     *
     * @param limit how many groups at most, from 1 to 1,000
     * @return the groups
     */
    List<DeadGroup> deadGroups(int limit);

    /**
     * Return how far a batch or flow is. Costs the same however many members it has.
     *
     * @param id the id of the batch or flow
     * @return what is known, or nothing
     */
    Optional<FlowSummary> findFlow(UUID id);

    /**
     * Return a page of the batches and flows that match a filter, the newest first. A page may have fewer than the
     * limit, or none, and be followed by another one where few of very many match.
     *
     * @param filter which of them
     * @param after where the page begins: {@link JobCursor#START}, or {@link FlowPage#next()} of the page before
     * @param limit how many at most, from 1 to 1,000
     * @return the page
     */
    FlowPage findFlows(FlowFilter filter, JobCursor after, int limit);

    /**
     * Return the first 1,000 steps of a flow, and which comes after which.
     *
     * @param id the id of the flow
     * @return the graph, or nothing if there is no such flow
     */
    Optional<FlowGraph> flowGraph(UUID id);

    /**
     * Cancels what has not ended of a batch or flow, soon after this returns: jobs that wait, those that run as {@link
     * #cancel} does, and what is within it. One that has finished stays as it is.
     *
     * @param id the id of the batch or flow
     * @param compensate whether to undo the steps that have completed, as if the flow had failed
     * @return the state that it has now
     * @throws JobNotFoundException if there is no such batch or flow
     */
    FlowState cancelFlow(UUID id, boolean compensate);

    /**
     * Tells a flow what one of its steps waits for, as {@link dev.jobqueue.JobPublisher#signal} does.
     *
     * @param id the id of the flow
     * @param name the name of the step
     * @param payload the result of the step as JSON; {@code null} for none
     * @return whether it counts: none came before, and the step has not ended
     * @throws JobNotFoundException if there is no such flow
     */
    boolean signalFlow(UUID id, String name, @Nullable String payload);
}
