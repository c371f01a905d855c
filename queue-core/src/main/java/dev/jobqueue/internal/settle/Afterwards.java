package dev.jobqueue.internal.settle;

/** What a run that was settled may leave to do on this node. */
public interface Afterwards {

    /** A job waits for its next attempt. */
    void scheduled();

    /** A job with limits ended, so that others of the queue may start. */
    default void freed(String queue) {}
}
