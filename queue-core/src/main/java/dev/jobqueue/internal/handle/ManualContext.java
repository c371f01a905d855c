package dev.jobqueue.internal.handle;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.spi.ManualWorker.Watch;
import dev.jobqueue.spi.ManualWorker.WorkerCrash;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** What a handler gets that is called by hand: the job as ever, with somebody who watches. */
final class ManualContext implements JobContext {

    private final JobContext job;
    private final Watch watch;
    private @Nullable Instant deadline;
    private @Nullable WorkerCrash crash;

    ManualContext(JobContext job, Watch watch, @Nullable Duration timeout) {
        this.job = job;
        this.watch = watch;
        this.deadline = timeout == null ? null : watch.now().plus(timeout);
    }

    /** Whether the attempt took longer than its timeout. */
    boolean isLate() {
        return deadline != null && watch.now().isAfter(deadline);
    }

    /** The crash that ended the attempt, if one did. */
    @Nullable
    WorkerCrash crash() {
        return crash;
    }

    private void stepped(String name) {
        try {
            watch.stepped(this, name);
        } catch (WorkerCrash ex) {
            crash = ex;
            throw ex;
        }
    }

    /** A node that died tells nothing any more. */
    private JobContext job() {
        if (crash != null) {
            throw crash;
        }
        return job;
    }

    @Override
    public UUID id() {
        return job.id();
    }

    @Override
    public String type() {
        return job.type();
    }

    @Override
    public String queue() {
        return job.queue();
    }

    @Override
    public int attempt() {
        return job.attempt();
    }

    @Override
    public int maxAttempts() {
        return job.maxAttempts();
    }

    @Override
    public Map<String, String> headers() {
        return job.headers();
    }

    @Override
    public Instant createdAt() {
        return job.createdAt();
    }

    @Override
    public void progress(int percent, @Nullable String stage) {
        job().progress(percent, stage);
    }

    @Override
    public void log(String message) {
        job().log(message);
    }

    @Override
    public <T> T step(String name, Class<T> type, Callable<T> action) throws Exception {
        T result = job().step(name, type, action);
        stepped(name);
        return result;
    }

    @Override
    public <T> T step(String name, ParameterizedTypeReference<T> type, Callable<T> action) throws Exception {
        T result = job().step(name, type, action);
        stepped(name);
        return result;
    }

    @Override
    public void extend(Duration timeout) {
        job().extend(timeout);
        deadline = watch.now().plus(timeout);
    }

    @Override
    public void snooze(Duration delay) {
        job().snooze(delay);
    }

    @Override
    public boolean isCancelled() {
        return job.isCancelled();
    }

    @Override
    public UUID publish(Job child) {
        return job().publish(child);
    }
}
