package dev.jobqueue.internal.manual;

import dev.jobqueue.JobContext;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.spi.ManualWorker.Watch;
import dev.jobqueue.spi.ManualWorker.WorkerCrash;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** One call of a handler by a worker that is driven by hand: who watches it, and whether it crashed or was too late. */
final class ManualAttempt implements HandlingSetup.Hooks {

    private final JobLease lease;
    private final Watch watch;
    private final @Nullable Duration timeout;
    private @Nullable Instant deadline;
    private @Nullable WorkerCrash crash;
    private boolean lost;
    private boolean late;

    ManualAttempt(JobLease lease, Watch watch, @Nullable Duration timeout) {
        this.lease = lease;
        this.watch = watch;
        this.timeout = timeout;
    }

    JobLease lease() {
        return lease;
    }

    Watch watch() {
        return watch;
    }

    /** How long the attempt may take; {@code null} if as long as it likes. */
    @Nullable
    Duration timeout() {
        return timeout;
    }

    /** The handler is called next. */
    void begins(JobContext job) {
        deadline = timeout == null ? null : watch.now().plus(timeout);
        watch.begins(job);
    }

    /** A node that died tells nothing any more. */
    @Override
    public void before() {
        if (crash != null) {
            throw crash;
        }
    }

    @Override
    public void stepped(JobContext job, String step) {
        try {
            watch.stepped(job, step);
        } catch (WorkerCrash ex) {
            crash = ex;
            throw ex;
        }
    }

    @Override
    public void extended(Duration more) {
        deadline = watch.now().plus(more);
    }

    /** Throws what ends the attempt, if the node crashed or the handler took too long. */
    void returned() {
        if (crash != null) {
            // also if the handler caught it: a node that died does not go on
            lost = true;
            throw crash;
        }
        if (deadline != null && watch.now().isAfter(deadline) && !lost) {
            late = true;
            throw new IllegalStateException("The attempt took longer than its timeout");
        }
    }

    /** The job was rescued: nothing that its handler tells counts any more. */
    void lose() {
        lost = true;
    }

    /** Whether the node crashed, or the job was rescued. */
    boolean isLost() {
        return lost;
    }

    /** Whether the handler took longer than its timeout. */
    boolean isLate() {
        return late;
    }
}
