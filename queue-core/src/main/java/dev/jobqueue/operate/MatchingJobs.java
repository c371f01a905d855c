package dev.jobqueue.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import java.time.Instant;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * The jobs that match a filter, to do something with all of them. Immutable; obtained from
 * {@link JobOperations#all(JobFilter)}.
 *
 * <pre>{@code
 * MatchingJobs dead = operations.all(JobFilter.of(JobState.DEAD).type("invoice.send"));
 * JobCount some = dead.dryRun().replay(); // how many it would be
 * dead.replay();
 * }</pre>
 *
 * <p>An action takes a thousand jobs at a time, each thousand in a transaction of its own; in a transaction of the
 * caller, all of them are part of that. It waits for nobody: a job that somebody else holds at that moment is left as
 * it is, and so is one that has left the state meanwhile. An action may be repeated, also after an error, and goes on
 * with what is left.
 *
 * <p>Each action tells how many jobs it took; {@link JobCount#isAtLeast()} says that the {@link #limit(long) limit} was
 * reached and more may match. A filter whose state the action is not for gets an {@link InvalidJobException}.
 */
public interface MatchingJobs {

    /**
     * Return the same jobs, with actions that change nothing and tell how many jobs they would take. Counting stops at
     * 10,000, or earlier where few of very many jobs match.
     *
     * @return a changed copy
     */
    MatchingJobs dryRun();

    /**
     * Take no more jobs than this.
     *
     * @param jobs how many; at least 1
     * @return a changed copy
     */
    MatchingJobs limit(long jobs);

    /**
     * Call this around the taking of each thousand jobs: in a transaction of its own, for example, or to count what is
     * done so far. What it throws ends the action. It is given what takes the next jobs and tells how many it took, and
     * must call that once and return what it returned.
     *
     * @param around what to call
     * @return a changed copy
     */
    MatchingJobs around(ToLongFunction<LongSupplier> around);

    /**
     * Cancels the jobs, as {@link JobOperations#cancel} does: {@link JobState#SCHEDULED} and {@link JobState#PENDING}
     * ones at once. Of {@link JobState#RUNNING} ones it asks the workers, and counts the jobs that nobody had asked to
     * cancel before.
     *
     * @return how many
     */
    JobCount cancel();

    /**
     * Makes {@link JobState#SCHEDULED} jobs pending now, instead of at their time.
     *
     * @return how many
     */
    JobCount retry();

    /**
     * Makes {@link JobState#DEAD} jobs pending again, the oldest first, with all their attempts before them. Jobs whose
     * unique key a live job holds stay dead.
     *
     * @return how many
     */
    JobCount replay();

    /**
     * Deletes {@link JobState#DEAD} jobs for good, the oldest first.
     *
     * @return how many
     */
    JobCount purge();

    /**
     * Gives {@link JobState#SCHEDULED} or {@link JobState#PENDING} jobs another priority.
     *
     * @param priority any integer; higher runs first
     * @return how many had another one
     */
    JobCount reprioritise(int priority);

    /**
     * Makes {@link JobState#SCHEDULED} or {@link JobState#PENDING} jobs due at another time, as
     * {@link JobOperations#reschedule} does. Pending jobs stay as they are if the time is past.
     *
     * @param runAt when they are due
     * @return how many were due at another time
     */
    JobCount reschedule(Instant runAt);
}
