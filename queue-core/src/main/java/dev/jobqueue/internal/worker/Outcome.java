package dev.jobqueue.internal.worker;

import dev.jobqueue.internal.QueueEvents.Ending;
import dev.jobqueue.internal.store.Claim;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a run of a job ended, as far as this node is concerned; the settler tells the database. */
sealed interface Outcome {

    RunningJob job();

    default Claim claim() {
        return job().claim();
    }

    /** About how many characters it has to tell. */
    default long length() {
        return 0;
    }

    /** Whether it is told by a call of its own, and not together with others of its kind. */
    default boolean isSingle() {
        return true;
    }

    /** The handler returned; its result as JSON. */
    record Completed(RunningJob job, @Nullable String result) implements Outcome {

        @Override
        public long length() {
            return result == null ? 0 : result.length();
        }

        @Override
        public boolean isSingle() {
            return false;
        }
    }

    /** The handler threw, or took too long. */
    record Threw(RunningJob job, String error, boolean retry) implements Outcome {

        @Override
        public long length() {
            return error.length();
        }

        @Override
        public boolean isSingle() {
            return false;
        }
    }

    /** The handler asked to come back later. */
    record Snoozed(RunningJob job, Duration delay) implements Outcome {}

    /** The handler's transaction was lost with the database: the attempt does not count. */
    record Undone(RunningJob job, Duration delay) implements Outcome {}

    /** Not handled: the node stops. */
    record Released(RunningJob job) implements Outcome {

        @Override
        public boolean isSingle() {
            return false;
        }
    }

    /** Stopped because somebody asked for it. */
    record Cancelled(RunningJob job) implements Outcome {}

    /** Settled already in the handler's own transaction, or lost to another worker: nothing to tell. */
    record Gone(RunningJob job, Ending ending) implements Outcome {}
}
