package dev.jobqueue.internal.worker;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.ClaimedJob;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;

/**
 * Claims jobs for all queues of this node, as many as there are free slots for. One thread, which sleeps until somebody
 * wakes it: a publisher on this node, a notification, a slot that became free while more is known to wait, or the poll.
 * It is no daemon: an application that only works jobs lives as long as it does.
 *
 * <p>Where a backlog of quick jobs is emptied, claims are the limit, and a second thread claims beside the first.
 */
final class Claimer {

    private static final int MAX_UNSETTLED = 5_000;
    private static final long UNSETTLED_PAUSE_NANOS = 1_000_000;

    /** For a claimed job. Claims that take longer wait for those of other nodes, and one more of them would not help. */
    private static final long SWIFT_NANOS = 40_000;

    /** Until the heartbeat has a new id. */
    private static final Duration REGISTRATION_PAUSE = Duration.ofMillis(50);

    private final ClaimSource source;
    private final Map<String, QueueSlots> slots;
    private final Consumer<List<ClaimedJob>> dispatcher;
    private final Settler settler;
    private final Runnable onDeclaredDead;
    private final Outage outage = new Outage("Claiming jobs");
    private final Supplier<Duration> pollInterval;
    private final QueueEvents events;

    /** Queues that may have jobs waiting. */
    private final Set<String> hungry = ConcurrentHashMap.newKeySet();

    /** Queues with a backlog of quick jobs. */
    private final Set<String> plentiful = ConcurrentHashMap.newKeySet();

    private final AtomicInteger away = new AtomicInteger();
    private final Loop loop = Loop.user("queue-claimer", this::round);
    private final Loop helper = Loop.daemon("queue-claimer-helper", this::help);
    private long nextPoll = System.nanoTime();

    Claimer(
            ClaimSource source,
            Map<String, QueueSlots> slots,
            Consumer<List<ClaimedJob>> dispatcher,
            Settler settler,
            Runnable onDeclaredDead,
            Supplier<Duration> pollInterval,
            QueueEvents events) {
        this.source = source;
        this.slots = slots;
        this.dispatcher = dispatcher;
        this.settler = settler;
        this.onDeclaredDead = onDeclaredDead;
        this.pollInterval = pollInterval;
        this.events = events;
    }

    void start() {
        loop.start();
        helper.start();
    }

    List<Loop> loops() {
        return List.of(loop, helper);
    }

    /** Some jobs were published, or became due, in these queues. */
    void wake(Collection<String> queues) {
        boolean news = false;
        for (String queue : queues) {
            news |= slots.containsKey(queue) && hungry.add(queue);
        }
        if (news) {
            loop.wake();
        }
    }

    void wakeAll() {
        wake(slots.keySet());
    }

    /** A slot became free. */
    void slotFreed(String queue) {
        if (hungry.contains(queue)) {
            loop.wake();
        }
        if (plentiful.contains(queue)) {
            helper.wake();
        }
    }

    Outage outage() {
        return outage;
    }

    /** Whether a claim is under way, or what it brought is not handed over yet. */
    boolean isAway() {
        return away.get() > 0;
    }

    void close() throws InterruptedException {
        loop.end();
        helper.end();
        loop.join(Threads.CLOSE_WAIT);
        helper.join(Threads.CLOSE_WAIT);
    }

    private void round() {
        long now = System.nanoTime();
        if (now - nextPoll >= 0) {
            hungry.addAll(slots.keySet());
            nextPoll = now + jittered(pollInterval.get());
        }
        Map<String, Integer> limits = limits(hungry, QueueSlots::wanted);
        if (limits.isEmpty()) {
            loop.park(Math.max(1, nextPoll - System.nanoTime()));
        } else if (settler.backlog() > MAX_UNSETTLED) {
            loop.park(UNSETTLED_PAUSE_NANOS);
        } else {
            loop.pause(claim(limits));
        }
    }

    private void help() {
        Map<String, Integer> limits =
                settler.backlog() > MAX_UNSETTLED ? Map.of() : limits(plentiful, QueueSlots::wantedBeside);
        if (limits.isEmpty()) {
            helper.park(Long.MAX_VALUE);
            return;
        }
        try {
            claimed(limits).forEach((queue, missing) -> {
                if (missing > 0) {
                    plentiful.remove(queue);
                }
            });
        } catch (RuntimeException | Error ex) {
            // whatever it is, the claimer meets it too and sees to it; it may have left out what was locked here
            plentiful.clear();
            hungry.addAll(limits.keySet());
            loop.wake();
        }
    }

    private Map<String, Integer> limits(Set<String> queues, ToIntFunction<QueueSlots> wants) {
        Map<String, Integer> limits = new LinkedHashMap<>();
        for (QueueSlots each : slots.values()) {
            int wanted = queues.contains(each.queue()) ? wants.applyAsInt(each) : 0;
            if (wanted > 0) {
                limits.put(each.queue(), wanted);
            }
        }
        return limits;
    }

    /** Claims, hands over, and tells how long to wait before the next time. */
    private Duration claim(Map<String, Integer> limits) {
        // before the claim: a wake-up that comes while it is under way makes the queue hungry again
        hungry.removeAll(limits.keySet());
        outage.begins();
        try {
            long began = System.nanoTime();
            Map<String, Integer> missing = claimed(limits);
            long wanted = limits.values().stream().mapToLong(Integer::longValue).sum();
            boolean swift = System.nanoTime() - began < wanted * SWIFT_NANOS;
            missing.forEach((queue, left) -> {
                if (left <= 0) {
                    hungry.add(queue);
                    mayNeedHelp(queue, swift);
                }
            });
            outage.over();
            return Duration.ZERO;
        } catch (LeaseLostException ex) {
            outage.over();
            hungry.addAll(limits.keySet());
            onDeclaredDead.run();
            return REGISTRATION_PAUSE;
        } catch (RuntimeException ex) {
            hungry.addAll(limits.keySet());
            return outage.failed(ex);
        } catch (Error ex) {
            hungry.addAll(limits.keySet());
            throw ex;
        }
    }

    private void mayNeedHelp(String queue, boolean swift) {
        if (swift && Objects.requireNonNull(slots.get(queue)).isQuick()) {
            plentiful.add(queue);
            helper.wake();
        } else {
            plentiful.remove(queue);
        }
    }

    /** Claims, hands over, and tells how many were missing in each queue. */
    private Map<String, Integer> claimed(Map<String, Integer> limits) {
        away.incrementAndGet();
        try {
            long began = System.nanoTime();
            List<ClaimedJob> jobs = source.claim(limits);
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            Map<String, Integer> missing = missing(limits, jobs);
            dispatcher.accept(jobs);
            events.claimed(took, jobs.size());
            return missing;
        } finally {
            away.decrementAndGet();
        }
    }

    /** None, where the size of the payloads may have ended the claim: a character is three bytes at most. */
    private Map<String, Integer> missing(Map<String, Integer> limits, List<ClaimedJob> jobs) {
        Map<String, Integer> missing = new LinkedHashMap<>(limits);
        Map<String, Long> bytes = new HashMap<>();
        for (ClaimedJob job : jobs) {
            missing.merge(job.queue(), -1, Integer::sum);
            bytes.merge(job.queue(), 3L * job.payload().length(), Long::sum);
        }
        bytes.forEach((queue, size) -> {
            if (size >= Objects.requireNonNull(slots.get(queue)).maxBytes()) {
                missing.put(queue, 0);
            }
        });
        return missing;
    }

    private static long jittered(Duration interval) {
        long nanos = interval.toNanos();
        return nanos - nanos / 5 + ThreadLocalRandom.current().nextLong(nanos / 5 * 2 + 1);
    }

    /** Takes due jobs from the database. */
    @FunctionalInterface
    interface ClaimSource {
        List<ClaimedJob> claim(Map<String, Integer> limits);
    }
}
