package dev.jobqueue.internal.upkeep;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.Upkeep;
import dev.jobqueue.internal.store.Upkeep.Rescued;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Promotes jobs when they are due, rescues those of dead nodes, reports those nobody handles, and prunes. Every node does it: whoever comes first. The
 * thread sleeps until the next scheduled job is due, or the next round of the rarer work.
 */
public final class Caretaker {

    private static final Logger log = LoggerFactory.getLogger(Caretaker.class);

    private static final int BATCH = 1_000;
    private static final Duration PRUNE_INTERVAL = Duration.ofHours(1);
    private static final Duration FIRST_PRUNE = Duration.ofMinutes(1);
    private static final Duration REPORT_INTERVAL = Duration.ofMinutes(1);

    /** How long after its timeout a job is left to its own worker, which knows better what happened. */
    private static final Duration TIMEOUT_GRACE = Duration.ofSeconds(5);

    private final Upkeep upkeep;
    private final Duration ttl;
    private final QueueEvents events;
    private final Duration pollInterval;
    private final Runnable onPending;
    private final UnhandledTypes unhandled;
    private final Outage outage = new Outage("Upkeep");
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean woken = true;

    /** Whether a job becomes due at the next promotion. */
    private boolean someAreDue;

    private long nextPromotion = System.nanoTime();
    private long nextRescue = System.nanoTime();
    private long nextPrune = System.nanoTime() + jittered(FIRST_PRUNE);
    private long nextReport = System.nanoTime() + jittered(REPORT_INTERVAL);

    /**
     * @param ttl how long a worker may be silent before its jobs are rescued
     * @param pollInterval how often to look for scheduled jobs that nobody told of
     * @param onPending called when jobs became pending, or may have
     */
    public Caretaker(
            Upkeep upkeep,
            Duration ttl,
            Duration pollInterval,
            Runnable onPending,
            QueueEvents events,
            UnhandledTypes unhandled) {
        this.upkeep = upkeep;
        this.ttl = ttl;
        this.pollInterval = pollInterval;
        this.onPending = onPending;
        this.events = events;
        this.unhandled = unhandled;
        this.thread = Threads.daemon("queue-upkeep").newThread(this::loop);
    }

    public void start() {
        thread.start();
    }

    /** A scheduled job was published, maybe earlier than the one waited for. */
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
                work();
                outage.over();
                sleepUntil(Math.min(Math.min(nextPromotion, nextRescue), Math.min(nextPrune, nextReport)));
            } catch (RuntimeException ex) {
                pauseUntil(System.nanoTime() + outage.failed(ex).toNanos());
                nextPromotion = System.nanoTime();
            }
        }
    }

    private void work() {
        long now = System.nanoTime();
        if (woken || now - nextPromotion >= 0) {
            woken = false;
            boolean expected = someAreDue && now - nextPromotion >= 0;
            Duration next = upkeep.promote(BATCH).orElse(pollInterval);
            someAreDue = next.compareTo(pollInterval) < 0;
            nextPromotion = System.nanoTime() + Math.min(next.toNanos(), pollInterval.toNanos());
            if (expected) {
                onPending.run();
            }
        }
        if (now - nextRescue >= 0) {
            List<Rescued> rescued = upkeep.rescue(ttl, TIMEOUT_GRACE, BATCH);
            rescued.forEach(each -> log.warn(
                    "Job {} ('{}') was rescued and is {}: {}", each.id(), each.type(), each.state(), each.reason()));
            if (!rescued.isEmpty()) {
                events.rescued(rescued.size());
            }
            if (rescued.stream().anyMatch(each -> each.state() == JobState.PENDING)) {
                onPending.run();
            }
            nextRescue = rescued.size() < BATCH ? System.nanoTime() + jittered(ttl.dividedBy(4)) : System.nanoTime();
        }
        if (now - nextPrune >= 0) {
            upkeep.prune();
            nextPrune = System.nanoTime() + jittered(PRUNE_INTERVAL);
        }
        if (now - nextReport >= 0) {
            unhandled.report();
            nextReport = System.nanoTime() + jittered(REPORT_INTERVAL);
        }
    }

    private void sleepUntil(long deadline) {
        while (running && !woken && deadline - System.nanoTime() > 0) {
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }

    private void pauseUntil(long deadline) {
        while (running && deadline - System.nanoTime() > 0) {
            LockSupport.parkNanos(deadline - System.nanoTime());
        }
    }

    private static long jittered(Duration interval) {
        long nanos = interval.toNanos();
        return nanos - nanos / 10 + ThreadLocalRandom.current().nextLong(nanos / 5 + 1);
    }
}
