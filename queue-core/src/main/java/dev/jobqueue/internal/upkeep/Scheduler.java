package dev.jobqueue.internal.upkeep;

import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.DueSchedule;
import dev.jobqueue.internal.store.ScheduleRun;
import dev.jobqueue.internal.store.Schedules;
import dev.jobqueue.internal.store.Schedules.Fired;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Publishes the jobs of schedules when they are due. Every node does it: whoever comes first locks a schedule, and the
 * others pass it over. The thread sleeps until the next one is due by the database's clock.
 */
public final class Scheduler {

    private static final Logger log = LoggerFactory.getLogger(Scheduler.class);

    private static final int BATCH = 500;

    /** How soon to look again for schedules that are due but locked: whoever fires them may die doing so. */
    private static final Duration LOCKED_PAUSE = Duration.ofMillis(200);

    private final Schedules schedules;
    private final TransactionOperations transactions;
    private final Duration longestSleep;
    private final Consumer<Collection<String>> onPublish;
    private final QueueEvents events;
    private final Outage outage = new Outage("Firing schedules");
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean woken = true;

    /**
     * @param schedules joins the transactions given
     * @param longestSleep how often to look at least, should nothing tell of a change
     * @param onPublish called with the queues that got jobs, after the commit
     */
    public Scheduler(
            Schedules schedules,
            TransactionOperations transactions,
            Duration longestSleep,
            Consumer<Collection<String>> onPublish,
            QueueEvents events) {
        this.schedules = schedules;
        this.transactions = transactions;
        this.longestSleep = longestSleep;
        this.onPublish = onPublish;
        this.events = events;
        this.thread = Threads.daemon("queue-scheduler").newThread(this::loop);
    }

    public void start() {
        thread.start();
    }

    /** Schedules have changed: one may be due earlier than what is waited for. */
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    public void close() throws InterruptedException {
        running = false;
        LockSupport.unpark(thread);
        thread.join();
    }

    private void loop() {
        while (running) {
            try {
                woken = false;
                fireAll();
                Duration pause = schedules
                        .untilNext()
                        .map(next -> next.isZero() ? LOCKED_PAUSE : next)
                        .filter(next -> next.compareTo(longestSleep) < 0)
                        .orElse(longestSleep);
                outage.over();
                pause(pause, true);
            } catch (RuntimeException ex) {
                pause(outage.failed(ex), false);
            }
        }
    }

    private void fireAll() {
        boolean more = true;
        while (running && more) {
            Batch batch = Objects.requireNonNull(transactions.execute(status -> fireBatch()));
            more = batch.runs().size() == BATCH;
            tell(batch);
        }
    }

    private Batch fireBatch() {
        List<DueSchedule> due = schedules.due(BATCH);
        List<ScheduleRun> runs = due.stream().map(Misfires::decide).toList();
        return new Batch(runs, runs.isEmpty() ? List.of() : schedules.fire(runs));
    }

    private void tell(Batch batch) {
        for (ScheduleRun run : batch.runs()) {
            if (run.problem() != null) {
                log.error(
                        "Schedule '{}' rests until it is set again: {}",
                        run.due().name(),
                        run.problem());
            }
            if (run.missed() > 0) {
                log.warn(
                        "Schedule '{}' missed {} runs while no node was up (misfire {})",
                        run.due().name(),
                        run.missed(),
                        run.due().misfire());
                events.scheduleMissed(run.due().name(), run.missed());
            }
        }
        for (Fired fired : batch.fired()) {
            if (fired.jobId() == null) {
                log.debug("Schedule '{}' was skipped: its last run has not ended", fired.name());
                events.scheduleSkipped(fired.name());
            } else {
                events.scheduleFired(fired.name(), fired.lag());
                events.published(fired.queue(), fired.type());
            }
        }
        onPublish.accept(batch.fired().stream()
                .filter(fired -> fired.jobId() != null)
                .map(Fired::queue)
                .collect(Collectors.toSet()));
    }

    private void pause(Duration pause, boolean untilWoken) {
        long deadline = System.nanoTime() + pause.toNanos();
        while (running && !(untilWoken && woken) && deadline - System.nanoTime() > 0) {
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }

    private record Batch(List<ScheduleRun> runs, List<Fired> fired) {}
}
