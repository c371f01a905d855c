package dev.jobqueue.operate;

/** Whether it has members or steps. */
public enum FlowKind {

    /** A {@link dev.jobqueue.Batch}. */
    BATCH,

    /** A {@link dev.jobqueue.Flow}. */
    FLOW
}
