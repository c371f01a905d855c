package dev.jobqueue;

/** Where a job is in its life. The same words stand in the table {@code job_state}. */
public enum JobState {

    /** Waits for its time: published for later, snoozed, or backing off after an attempt that threw. */
    SCHEDULED(false),

    /** Due, and waits for a worker to claim it. */
    PENDING(false),

    /** Due, and waits in its lane until its limits let it start. */
    WAITING(false),

    /** Claimed by a worker that holds its lease. */
    RUNNING(false),

    /** Handled; its result is in the history. */
    COMPLETED(true),

    /** Cancelled before it was completed. */
    CANCELLED(true),

    /** Out of attempts, or failed for good: in the dead letter until it is replayed or purged. */
    DEAD(true);

    private final boolean terminal;

    JobState(boolean terminal) {
        this.terminal = terminal;
    }

    /** {@return whether no worker will touch the job any more} */
    public boolean isTerminal() {
        return terminal;
    }

    /** {@return whether a worker may claim the job} */
    public boolean isClaimable() {
        return this == PENDING;
    }
}
