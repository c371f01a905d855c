package dev.jobqueue;

/** What becomes of a {@link Fifo} lane when one of its jobs has no attempt left. */
public enum OnDead {

    /** Nothing else of the lane starts until the dead job is replayed or purged, or the lane is released. */
    BLOCK,

    /** The lane goes on with the next job. */
    CONTINUE
}
