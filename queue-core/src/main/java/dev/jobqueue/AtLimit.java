package dev.jobqueue;

/** What becomes of jobs that their {@link Limit} does not let start, when a worker looks for jobs. */
public enum AtLimit {

    /** They wait until there is room. The default. */
    WAIT,

    /** They are cancelled. */
    DROP,

    /** All but the newest are cancelled: one runs, and the newest waits. */
    REPLACE,

    /** They wait, and the oldest running job of the key is asked to stop, as by a cancel. */
    CANCEL_RUNNING
}
