package dev.jobqueue.operate;

/** Where a batch or flow is in its life. */
public enum FlowState {

    /** Not all of its jobs have ended. */
    RUNNING,

    /** All steps have ended, and those that completed are undone. */
    COMPENSATING,

    /** Finished: all have completed. */
    SUCCEEDED,

    /** Finished: at least one is dead. */
    FAILED,

    /** Finished: none is dead, at least one was cancelled. */
    CANCELLED
}
