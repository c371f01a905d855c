package dev.jobqueue.internal.settle;

import dev.jobqueue.spi.JobEnding;

/** What a run that was settled may leave to do on this node. */
public interface Afterwards {

    /** A run was settled. */
    default void settled(Run job, JobEnding ending) {
        if (ending == JobEnding.RETRIED || ending == JobEnding.SNOOZED || ending == JobEnding.RELEASED) {
            scheduled();
        }
        if (job.isLimited()) {
            freed(job.queue());
        }
        if (job.isLinked()) {
            linkedEnded();
        }
    }

    /** A job waits for its next attempt. */
    void scheduled();

    /** A job with limits ended, so that others of the queue may start. */
    default void freed(String queue) {}

    /** A job of a batch or flow ended, so that this may go on. */
    default void linkedEnded() {}
}
