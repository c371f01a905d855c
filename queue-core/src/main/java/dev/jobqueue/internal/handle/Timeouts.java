package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.Threads;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Delayed;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends runs that take too long, reports handlers that ignore the interrupt, and runs the looks after waiting jobs.
 */
public final class Timeouts {

    /** What ends a run when its time is up. */
    static final class Timer {

        private @Nullable Future<?> task;

        void set(Future<?> replacement) {
            cancel();
            task = replacement;
        }

        void cancel() {
            try {
                if (task != null) {
                    task.cancel(false);
                }
            } catch (OutOfMemoryError ex) {
                // it will find that the run has ended, or has more time
            }
        }

        boolean isDue() {
            return task instanceof Delayed timer && timer.getDelay(TimeUnit.NANOSECONDS) <= 0;
        }
    }

    private static final Logger log = LoggerFactory.getLogger(Timeouts.class);

    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration GUARD_PAUSE = Duration.ofMillis(5);

    private final ScheduledThreadPoolExecutor scheduler;
    private final Consumer<RunningJob> onTimeout;
    private final Consumer<RunningJob> onDeaf;
    private final Set<RunningJob> deaf = ConcurrentHashMap.newKeySet();

    /**
     * @param onTimeout told of runs that have taken too long
     * @param onDeaf told of those that ignore the interrupt for a while
     */
    public Timeouts(Consumer<RunningJob> onTimeout, Consumer<RunningJob> onDeaf) {
        this.onTimeout = onTimeout;
        this.onDeaf = onDeaf;
        this.scheduler = new ScheduledThreadPoolExecutor(1, Threads.daemon("queue-timeouts"));
        this.scheduler.setRemoveOnCancelPolicy(true);
        this.scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    public void watch(RunningJob job, Duration timeout) {
        job.timeout(later(timeout, () -> expire(job)));
    }

    /** Runs a look after waiting jobs a little later. */
    public void guard(Runnable look) {
        var unused = later(GUARD_PAUSE, look);
    }

    private void expire(RunningJob job) {
        if (job.expire()) {
            onTimeout.accept(job);
            var unused = later(PATIENCE, () -> reportIfDeaf(job));
        }
    }

    /** Logs what a task throws, because the executor would not. */
    private Future<?> later(Duration pause, Runnable task) {
        Runnable watched = () -> {
            try {
                task.run();
            } catch (Throwable thrown) {
                log.error("Looking after running jobs failed", thrown);
            }
        };
        return scheduler.schedule(watched, Spans.toMillis(pause), TimeUnit.MILLISECONDS);
    }

    private void reportIfDeaf(RunningJob job) {
        deaf.removeIf(Timeouts::hasReturned);
        Thread thread = job.thread();
        if (thread != null) {
            deaf.add(job);
            log.warn(
                    "The handler of '{}' ignores the interrupt of its timeout (job {}): thread '{}' still runs, at {}. "
                            + "Nothing it tells the queue counts any more.",
                    job.type(),
                    job.id(),
                    thread.getName(),
                    thread.getStackTrace().length == 0 ? "an unknown place" : thread.getStackTrace()[0]);
            onDeaf.accept(job);
        }
    }

    /** The types of the runs that ignored the interrupt of their timeout and still go on, one for each run. */
    public List<String> deaf() {
        deaf.removeIf(Timeouts::hasReturned);
        return deaf.stream().map(RunningJob::type).toList();
    }

    private static boolean hasReturned(RunningJob job) {
        return job.thread() == null;
    }

    public void close() {
        scheduler.shutdownNow();
    }
}
