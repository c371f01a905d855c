package dev.jobqueue;

/** What becomes of a step when a step it comes after is dead or cancelled. */
public enum OnParentDead {

    /** The step is cancelled too, and so are those that come after it. The default. */
    CANCEL,

    /** The step runs once all steps before it have ended, however they did. */
    RUN,

    /**
     * The step waits until somebody replays the dead step and it completes. If no dead letter is left to
     * replay, the step is cancelled.
     */
    WAIT
}
