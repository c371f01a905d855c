package dev.jobqueue.internal.settle;

import dev.jobqueue.spi.JobEnding;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a run of a job ended, as far as this node is concerned; the settler tells the database. */
public sealed interface Outcome {

    Run job();

    default JobLease lease() {
        return job().lease();
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
    record Completed(Run job, @Nullable String result) implements Outcome {

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
    record Threw(Run job, String error, boolean retry) implements Outcome {

        private static final String UNTOLD =
                "The attempt threw, and its error could not be described (the node may be out of memory)";

        /** The attempt threw, and more than that cannot be told. */
        public static Threw untold(Run job) {
            return new Threw(job, UNTOLD, true);
        }

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
    record Snoozed(Run job, Duration delay) implements Outcome {}

    /**
     * Somebody that the handler called said that it was too much.
     *
     * @param limit the limit whose lane is closed; {@code null} for the first of the job
     */
    record RateLimited(
            Run job, Duration retryAfter, @Nullable String limit) implements Outcome {}

    /** The handler's transaction was lost with the database: the attempt does not count. */
    record Undone(Run job, Duration delay) implements Outcome {}

    /**
     * Not handled: the node stops, or the handler of a bundle releases the job.
     *
     * @param notBegun whether it counts as not begun
     */
    record Released(Run job, boolean notBegun) implements Outcome {

        public Released(Run job) {
            this(job, false);
        }

        boolean begun() {
            return !notBegun && job.hasBegun();
        }

        @Override
        public boolean isSingle() {
            return false;
        }
    }

    /** Stopped because somebody asked for it. */
    record Cancelled(Run job) implements Outcome {}

    /** Settled already in the handler's own transaction, or lost to another worker: nothing to tell. */
    record Gone(Run job, JobEnding ending) implements Outcome {}
}
