package dev.jobqueue.internal.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.operate.OperateCalls.Action;
import dev.jobqueue.internal.operate.OperateCalls.Batch;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.MatchingJobs;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Acts on the jobs that match a filter, batch by batch until there are no more. */
final class FilteredJobs implements MatchingJobs {

    private static final int BATCH = 1_000;

    /** Where a dry run stops counting. */
    private static final int MOST_COUNTED = 10_000;

    /** How many batches a dry run counts; each looks at 10,000 jobs at most, so it ends after a million jobs. */
    private static final int MOST_BATCHES_COUNTED = 100;

    private final OperateCalls calls;
    private final JobFilter filter;
    private final long limit;
    private final boolean dryRun;
    private final ToLongFunction<LongSupplier> around;

    FilteredJobs(OperateCalls calls, JobFilter filter) {
        this(calls, Objects.requireNonNull(filter, "filter"), Long.MAX_VALUE, false, LongSupplier::getAsLong);
    }

    private FilteredJobs(
            OperateCalls calls, JobFilter filter, long limit, boolean dryRun, ToLongFunction<LongSupplier> around) {
        this.calls = calls;
        this.filter = filter;
        this.limit = limit;
        this.dryRun = dryRun;
        this.around = around;
    }

    @Override
    public MatchingJobs dryRun() {
        return new FilteredJobs(calls, filter, limit, true, around);
    }

    @Override
    public MatchingJobs limit(long jobs) {
        if (jobs < 1) {
            throw new InvalidJobException("limit is '%d': must be at least 1".formatted(jobs));
        }
        return new FilteredJobs(calls, filter, jobs, dryRun, around);
    }

    @Override
    public MatchingJobs around(ToLongFunction<LongSupplier> around) {
        return new FilteredJobs(calls, filter, limit, dryRun, Objects.requireNonNull(around, "around"));
    }

    @Override
    public JobCount cancel() {
        return act(Action.CANCEL);
    }

    @Override
    public JobCount retry() {
        return act(Action.RETRY);
    }

    @Override
    public JobCount replay() {
        return act(Action.REPLAY);
    }

    @Override
    public JobCount purge() {
        return act(Action.PURGE);
    }

    @Override
    public JobCount reprioritise(int priority) {
        return act(Action.reprioritise(priority));
    }

    @Override
    public JobCount reschedule(Instant runAt) {
        // without a time it would be a call of another function
        return act(Action.reschedule(Objects.requireNonNull(runAt, "runAt")));
    }

    private JobCount act(Action action) {
        long most = dryRun ? Math.min(limit, MOST_COUNTED) : limit;
        AtomicReference<@Nullable String> cursor = new AtomicReference<>();
        long done = 0;
        int batches = 0;
        do {
            int max = (int) Math.min(BATCH, most - done);
            done += around.applyAsLong(() -> take(action, cursor, max));
            batches++;
        } while (cursor.get() != null && done < most && !(dryRun && batches == MOST_BATCHES_COUNTED));
        return new JobCount(done, cursor.get() != null);
    }

    private long take(Action action, AtomicReference<@Nullable String> cursor, int max) {
        Batch batch = calls.act(action, filter, cursor.get(), max, dryRun);
        cursor.set(batch.cursor());
        return batch.jobs();
    }
}
