package dev.jobqueue.internal.publish;

import dev.jobqueue.Job;
import dev.jobqueue.OnConflict;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What a publisher says about the unique key of a job, besides the key.
 *
 * @param uniqueFor how long the key stays taken; {@code null} for as long as the job lives
 * @param maxDelay how long the job may be put off by others that replace or postpone it; {@code null} for ever
 */
public record UniqueRules(
        @Nullable Duration uniqueFor,
        OnConflict onConflict,
        @Nullable Duration maxDelay) {

    public static final UniqueRules NONE = new UniqueRules(null, OnConflict.KEEP, null);

    public static UniqueRules of(Job job) {
        boolean none = job.uniqueFor() == null && job.maxDelay() == null && job.onConflict() == OnConflict.KEEP;
        return none ? NONE : new UniqueRules(job.uniqueFor(), job.onConflict(), job.maxDelay());
    }

    /** {@code null} for the default. */
    @Nullable
    String onConflictName() {
        return onConflict == OnConflict.KEEP ? null : onConflict.name();
    }
}
