package dev.jobqueue.internal.maintain;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Rounds;
import dev.jobqueue.internal.db.DatabaseErrors;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescue;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescued;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Promotes jobs when they are due, rescues those of dead nodes, reports those nobody handles, and prunes. Every node does it:
 * whoever comes first. The thread sleeps until the next scheduled job is due or the next worker can be late, which the
 * database tells.
 */
public final class Caretaker {

    private static final Logger log = LoggerFactory.getLogger(Caretaker.class);

    private static final int BATCH = 1_000;

    /** A tenth of a second's work or so: what else is due waits for no longer. */
    private static final int PRUNE_BATCH = 5_000;

    private static final Duration PRUNE_INTERVAL = Duration.ofHours(1);

    /** While somebody holds the history locked. */
    private static final Duration PRUNE_PAUSE = Duration.ofMinutes(1);

    /** How many rescued jobs are logged one by one. */
    private static final int LOGGED = 20;

    private static final Duration REPORT_INTERVAL = Duration.ofMinutes(1);

    /** How long after its timeout a job is left to its own worker, which knows better what happened. */
    private static final Duration TIMEOUT_GRACE = Duration.ofSeconds(5);

    /** The part of the time to live that lies between two rescues at least. */
    private static final int SHORTEST_PART = 20;

    private final MaintainCalls upkeep;
    private final Timing timing;
    private final Runnable onPending;
    private final QueueEvents events;
    private final Chore promotion = new Chore(this::promote);
    private final List<Chore> chores;
    private final Rounds rounds = new Rounds("queue-upkeep", "Upkeep", this::round);

    /** When the next scheduled job is due, in nanoseconds; {@code null} if none is known of. */
    private @Nullable Long dueAt;

    /** Somebody told of a scheduled job: on a busy machine it may be due before it could be known of. */
    private volatile boolean told;

    /**
     * @param onPending called when jobs became pending, or may have
     */
    public Caretaker(
            MaintainCalls upkeep, Timing timing, Runnable onPending, QueueEvents events, UnhandledTypes unhandled) {
        this.upkeep = upkeep;
        this.timing = timing;
        this.onPending = onPending;
        this.events = events;
        this.chores = List.of(
                promotion,
                new Chore(this::rescue),
                new Chore(timing.firstPrune(), PRUNE_INTERVAL, this::prune),
                new Chore(REPORT_INTERVAL, REPORT_INTERVAL, () -> report(unhandled)));
    }

    /**
     * How often.
     *
     * @param ttl how long to wait at most for workers that can be late; and how long one may be silent that does not say
     * @param poll how often to look for scheduled jobs that nobody told of, as things are at the moment
     * @param firstPrune how long to wait before pruning for the first time, at most
     */
    public record Timing(Duration ttl, Supplier<Duration> poll, Duration firstPrune) {

        public Timing(Duration ttl, Supplier<Duration> poll) {
            this(ttl, poll, Duration.ofMinutes(1));
        }
    }

    public void start() {
        rounds.start();
    }

    public Loop loop() {
        return rounds.loop();
    }

    /** A scheduled job was published, maybe earlier than the one waited for. */
    public void wake() {
        told = true;
        promotion.hurry();
        rounds.wake();
    }

    public Outage outage() {
        return rounds.outage();
    }

    public void close() throws InterruptedException {
        rounds.close();
    }

    private Duration round() {
        RuntimeException failure = null;
        for (Chore chore : chores) {
            try {
                chore.doIfDue();
            } catch (RuntimeException ex) {
                // the others are done all the same
                failure = failure == null ? ex : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return chores.stream().map(Chore::left).min(Duration::compareTo).orElseThrow();
    }

    private Duration promote() {
        boolean expected = told || (dueAt != null && System.nanoTime() - dueAt >= 0);
        told = false;
        Optional<Duration> next;
        try {
            next = upkeep.promote(BATCH);
        } catch (RuntimeException ex) {
            if (expected) {
                told = true;
            }
            throw ex;
        }
        dueAt = next.map(each -> System.nanoTime() + each.toNanos()).orElse(null);
        if (expected) {
            onPending.run();
        }
        return min(next, timing.poll().get());
    }

    private Duration rescue() {
        Rescue rescue = upkeep.rescue(timing.ttl(), TIMEOUT_GRACE, BATCH);
        for (Rescued each :
                rescue.jobs().subList(0, Math.min(LOGGED, rescue.jobs().size()))) {
            // a job that dies is an error wherever that happens
            log.atLevel(each.state() == JobState.DEAD ? Level.ERROR : Level.WARN)
                    .log(
                            "Job {} ('{}') was rescued and is {}: {}",
                            each.id(),
                            each.type(),
                            each.state(),
                            each.reason());
        }
        if (rescue.jobs().size() > LOGGED) {
            log.warn("{} more jobs were rescued", rescue.jobs().size() - LOGGED);
        }
        if (!rescue.jobs().isEmpty()) {
            events.rescued(rescue.jobs().stream().map(Rescued::event).toList());
        }
        if (rescue.jobs().stream().anyMatch(each -> each.state() == JobState.PENDING)) {
            onPending.run();
        }
        return rescue.jobs().size() < BATCH ? untilSomebodyIsLate(rescue.next()) : Duration.ZERO;
    }

    /** A little later, each node by another time, so that one finds what there is and the others find nothing. */
    private Duration untilSomebodyIsLate(Optional<Duration> next) {
        Duration spread = timing.ttl().dividedBy(SHORTEST_PART);
        return min(next, timing.ttl()).plus(jittered(spread));
    }

    /** One batch at a time, with a pause as long as it took: other chores and the database get their turn. */
    private Duration prune() {
        long begin = System.nanoTime();
        try {
            boolean more = upkeep.prune(PRUNE_BATCH);
            return more ? Duration.ofNanos(System.nanoTime() - begin) : jittered(PRUNE_INTERVAL);
        } catch (RuntimeException ex) {
            if (DatabaseErrors.isLocked(ex)) {
                return PRUNE_PAUSE;
            }
            throw ex;
        }
    }

    private static Duration report(UnhandledTypes unhandled) {
        unhandled.report();
        return jittered(REPORT_INTERVAL);
    }

    private static Duration min(Optional<Duration> one, Duration other) {
        return one.filter(each -> each.compareTo(other) < 0).orElse(other);
    }

    private static Duration jittered(Duration interval) {
        long nanos = interval.toNanos();
        return Duration.ofNanos(nanos / 2 + ThreadLocalRandom.current().nextLong(nanos / 2 + 1));
    }

    /** Something to do now and then. */
    private static final class Chore {

        private final Supplier<Duration> work;
        private final Duration afterFailure;
        private long next;
        private volatile boolean hurried;

        /** Does the work, which tells how long to wait for the next time, and at once again if it throws. */
        Chore(Supplier<Duration> work) {
            this.work = work;
            this.afterFailure = Duration.ZERO;
            this.next = System.nanoTime();
        }

        /** The same, first within a while; after so long if it throws, so that it stands in the way of nothing. */
        Chore(Duration first, Duration afterFailure, Supplier<Duration> work) {
            this.work = work;
            this.afterFailure = afterFailure;
            this.next = System.nanoTime() + jittered(first).toNanos();
        }

        void hurry() {
            hurried = true;
        }

        void doIfDue() {
            if (left().isZero()) {
                hurried = false;
                next = System.nanoTime() + afterFailure.toNanos();
                Duration pause = work.get();
                // counted from the end of the work, as the pause is
                next = System.nanoTime() + pause.toNanos();
            }
        }

        Duration left() {
            return hurried ? Duration.ZERO : Duration.ofNanos(Math.max(0, next - System.nanoTime()));
        }
    }
}
