package dev.jobqueue.internal.schedule;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Rounds;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.schedule.ScheduleCalls.Fired;
import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
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

    private final ScheduleCalls schedules;
    private final TransactionOperations transactions;
    private final Supplier<Duration> poll;
    private final Consumer<Collection<String>> onPublish;
    private final QueueEvents events;
    private final Rounds rounds = new Rounds("queue-scheduler", "Firing schedules", this::round);
    private volatile boolean running = true;

    /**
     * @param schedules calls that join the given transactions
     * @param poll how often to look for changes that nothing told of; asked before each pause
     * @param onPublish called with the queues that got jobs, after the commit
     */
    public Scheduler(
            ScheduleCalls schedules,
            TransactionOperations transactions,
            Supplier<Duration> poll,
            Consumer<Collection<String>> onPublish,
            QueueEvents events) {
        this.schedules = schedules;
        this.transactions = transactions;
        this.poll = poll;
        this.onPublish = onPublish;
        this.events = events;
    }

    public void start() {
        rounds.start();
    }

    public Loop loop() {
        return rounds.loop();
    }

    /** Schedules have changed: one may be due earlier than the one that is waited for. */
    public void wake() {
        rounds.wake();
    }

    public Outage outage() {
        return rounds.outage();
    }

    public void close() throws InterruptedException {
        running = false;
        rounds.close();
    }

    private Duration round() {
        Optional<Duration> next = schedules.untilNext();
        if (next.isPresent() && next.get().isZero()) {
            fireAll();
            next = schedules.untilNext();
        }
        Duration longest = poll.get();
        return next.map(each -> each.isZero() ? LOCKED_PAUSE : each)
                .filter(each -> each.compareTo(longest) < 0)
                .orElse(longest);
    }

    /** Publishes on the calling thread what is due now. */
    public void fireDue() {
        fireAll();
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
        batch.runs().forEach(this::tellUnfired);
        for (Fired fired : batch.fired()) {
            if (fired.jobId() == null) {
                log.debug("Schedule '{}' was skipped: its last run has not ended", fired.name());
                events.scheduleSkipped(fired.name());
            } else {
                events.scheduleFired(fired.name(), fired.lag());
                tellPublished(fired.jobId(), fired);
            }
        }
        onPublish.accept(batch.fired().stream()
                .filter(fired -> fired.jobId() != null)
                .map(Fired::queue)
                .collect(Collectors.toSet()));
    }

    private void tellUnfired(ScheduleRun run) {
        String name = run.due().name();
        if (run.problem() != null) {
            log.error("Schedule '{}' is off until it is set again: {}", name, run.problem());
        }
        if (run.missed() > 0) {
            log.warn(
                    "Schedule '{}' missed {} while no node could fire it (misfire {})",
                    name,
                    Counts.of(run.missed(), "run"),
                    run.due().misfire());
            events.scheduleMissed(name, run.missed());
        }
    }

    private void tellPublished(UUID id, Fired fired) {
        events.published(fired.queue(), fired.type(), 1);
        if (events.followsJobs()) {
            events.published(List.of(new JobEvent.Published(id, fired.type(), fired.queue(), Instant.now(), null)), 0);
        }
    }

    private record Batch(List<ScheduleRun> runs, List<Fired> fired) {}
}
