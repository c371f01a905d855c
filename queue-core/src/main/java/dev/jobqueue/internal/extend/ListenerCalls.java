package dev.jobqueue.internal.extend;

import dev.jobqueue.JobState;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls all listeners, whatever some of them throw. For one thread only. */
final class ListenerCalls {

    private static final Logger log = LoggerFactory.getLogger(ListenerCalls.class);

    private static final Duration LOG_PAUSE = Duration.ofMinutes(1);

    private final List<JobListener> listeners;
    private final IdentityHashMap<JobListener, Trouble> thrown = new IdentityHashMap<>();
    private final Trouble drops = new Trouble();

    ListenerCalls(List<JobListener> listeners) {
        this.listeners = List.copyOf(listeners);
    }

    void tell(JobEvent event) {
        if (event instanceof JobEvent.Published job) {
            tell(event, listener -> listener.published(job));
        } else if (event instanceof JobEvent.Started run) {
            tell(event, listener -> listener.started(run));
        } else if (event instanceof JobEvent.Ended run) {
            tell(event, listener -> listener.ended(run));
            tellEnding(run);
        } else if (event instanceof JobEvent.Rescued job) {
            tell(event, listener -> listener.rescued(job));
            tellEndOf(job);
        } else if (event instanceof JobEvent.Cancelled job) {
            tell(event, listener -> listener.cancelled(job));
        }
    }

    private void tellEnding(JobEvent.Ended run) {
        switch (run.ending()) {
            case COMPLETED -> tell(run, listener -> listener.completed(run));
            case RETRIED -> tell(run, listener -> listener.attemptFailed(run));
            case DEAD -> tell(run, listener -> listener.dead(run));
            case CANCELLED ->
                tell(new JobEvent.Cancelled(run.id(), run.type(), run.queue(), run.at(), run.attempt(), true));
            case SNOOZED, RELEASED, LEASE_LOST -> {}
        }
    }

    /** Nobody else tells of a job that ended with a node that is gone. */
    private void tellEndOf(JobEvent.Rescued job) {
        if (job.state() == JobState.CANCELLED) {
            tell(new JobEvent.Cancelled(job.id(), job.type(), job.queue(), job.at(), job.attempt(), true));
        } else if (job.state() == JobState.DEAD) {
            tellEnding(new JobEvent.Ended(
                    job.id(),
                    job.type(),
                    job.queue(),
                    job.at(),
                    job.attempt(),
                    JobEnding.DEAD,
                    Duration.ZERO,
                    Duration.ZERO,
                    job.reason(),
                    null));
        }
    }

    private void tell(JobEvent event, Consumer<JobListener> call) {
        for (JobListener listener : listeners) {
            try {
                call.accept(listener);
            } catch (Throwable ex) {
                report(listener, event, ex);
            } finally {
                // left by the listener: the thread would not wait for the next event
                Thread.interrupted();
            }
        }
    }

    private void report(JobListener listener, JobEvent event, Throwable ex) {
        Trouble trouble = thrown.computeIfAbsent(listener, each -> new Trouble());
        trouble.count++;
        if (trouble.isWorthALine()) {
            log.warn(
                    "The listener '{}' threw when it was told '{}' of job {} ('{}'); {} times since the last such line",
                    listener.getClass().getName(),
                    event.getClass().getSimpleName(),
                    event.id(),
                    event.type(),
                    trouble.logged(),
                    ex);
        }
    }

    /** Logs now and then how many events were dropped. */
    void reportDropped(long all) {
        drops.count = all;
        if (drops.isWorthALine()) {
            log.warn(
                    "{} events were dropped because the listeners are too slow: at most {} wait. Let a listener hand"
                            + " long work to a thread of its own, or publish a job.",
                    drops.logged(),
                    JobListeners.CAPACITY);
        }
    }

    /** Something that happens often, of which a line is logged now and then. */
    private static final class Trouble {

        private long count;
        private long countAtLine;
        private long lineAt = System.nanoTime() - LOG_PAUSE.toNanos();

        boolean isWorthALine() {
            return count > countAtLine && System.nanoTime() - lineAt >= LOG_PAUSE.toNanos();
        }

        /** How often it happened since the last line. */
        long logged() {
            long since = count - countAtLine;
            countAtLine = count;
            lineAt = System.nanoTime();
            return since;
        }
    }
}
