package dev.jobqueue.internal.maintain;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Rounds;
import dev.jobqueue.internal.extend.QueueEvents;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Does the chores of the queue, one after the other. Every node has a caretaker; the first one to come does the work.
 * The thread sleeps until the next scheduled job is due or the next worker can be late, as the database says.
 */
public final class Caretaker {

    private final Promoter promoter;
    private final List<Chore> chores;
    private final Rounds rounds = new Rounds("queue-upkeep", "Upkeep", this::round);

    /**
     * @param onPending called when jobs became pending, or may have
     */
    public Caretaker(
            MaintainCalls calls, Timing timing, Runnable onPending, QueueEvents events, UnhandledTypes unhandled) {
        this.promoter = new Promoter(calls, timing.poll(), onPending);
        this.chores = List.of(
                promoter,
                new Rescuer(calls, timing.ttl(), onPending, events),
                new Pruner(calls, timing.firstPrune()),
                new ThroughputMeter(calls),
                unhandled);
    }

    /**
     * How often the chores are done.
     *
     * @param ttl the longest pause between two rescues, and how long a worker may be silent that does not say so itself
     * @param poll how often to look for scheduled jobs that nobody told of; asked before each pause
     * @param firstPrune the longest pause before the first pruning
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
        promoter.tell();
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
}
