package dev.jobqueue.internal.maintain;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Rounds;
import dev.jobqueue.internal.extend.QueueEvents;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Does the chores of the queue, one after the other. Every node does them: whoever comes first. The thread sleeps until
 * the next scheduled job is due or the next worker can be late, which the database tells.
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
     * How often.
     *
     * @param ttl how long to wait at most for workers that can be late; and how long one may be silent that does not
     *     say
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
