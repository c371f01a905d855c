package dev.jobqueue.internal.worker;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.ClaimedJob;
import dev.jobqueue.internal.store.DirectLeases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Claims jobs for all queues of this node, as many as there are free slots for. One thread, which sleeps until somebody
 * wakes it: a publisher on this node, a notification, a slot that became free while more is known to wait, or the poll.
 * It is no daemon: an application that only works jobs lives as long as it does.
 */
final class Claimer {

    private static final int MAX_UNSETTLED = 5_000;
    private static final long UNSETTLED_PAUSE_NANOS = 1_000_000;

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

    private final Loop loop = Loop.user("queue-claimer", this::round);
    private final Queue<DirectLeases> direct = new ConcurrentLinkedQueue<>();
    private volatile Set<String> asking = Set.of();
    private volatile boolean away;
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
        // until the first claim nobody knows what waits
        hungry.addAll(slots.keySet());
        loop.start();
    }

    Loop loop() {
        return loop;
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
    }

    Outage outage() {
        return outage;
    }

    /** Whether nothing waits in a queue, as far as this node knows, so that a new job may start without being claimed. */
    boolean isIdle(String queue) {
        return loop.isRunning() && !hungry.contains(queue) && !asking.contains(queue) && !outage.isOn();
    }

    /** Jobs that this node took as they were published are committed. */
    void committed(DirectLeases leases) {
        direct.add(leases);
        loop.wake();
    }

    /** The slots of such jobs have them, or will not get them. */
    void endPromise(DirectLeases leases) {
        leases.promised()
                .forEach((queue, jobs) ->
                        Objects.requireNonNull(slots.get(queue)).endPromise(jobs));
    }

    /** Whether a claim is under way, or what it brought is not handed over yet. */
    boolean isAway() {
        return away;
    }

    void close() throws InterruptedException {
        loop.end();
        loop.join(Threads.CLOSE_WAIT);
    }

    private void round() {
        if (!direct.isEmpty()) {
            loop.pause(confirm());
        }
        long now = System.nanoTime();
        if (now - nextPoll >= 0) {
            hungry.addAll(slots.keySet());
            nextPoll = now + jittered(pollInterval.get());
        }
        Map<String, Integer> limits = limits();
        if (limits.isEmpty()) {
            loop.park(Math.max(1, nextPoll - System.nanoTime()));
        } else if (settler.backlog() > MAX_UNSETTLED) {
            loop.park(UNSETTLED_PAUSE_NANOS);
        } else {
            loop.pause(claim(limits));
        }
    }

    private Map<String, Integer> limits() {
        Map<String, Integer> limits = new LinkedHashMap<>();
        for (QueueSlots each : slots.values()) {
            int wanted = hungry.contains(each.queue()) ? each.wanted() : 0;
            if (wanted > 0) {
                limits.put(each.queue(), wanted);
            }
        }
        return limits;
    }

    /** Claims, hands over, and tells how long to wait before the next time. */
    private Duration claim(Map<String, Integer> limits) {
        asking = limits.keySet();
        // before the claim: a wake-up that comes while it is under way makes the queue hungry again
        hungry.removeAll(limits.keySet());
        outage.begins();
        try {
            claimed(limits).forEach((queue, missing) -> {
                if (missing <= 0) {
                    hungry.add(queue);
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
        } finally {
            asking = Set.of();
        }
    }

    /** Takes what this node published for itself, and tells how long to wait before the next claim. */
    private Duration confirm() {
        List<DirectLeases> committed = new ArrayList<>();
        for (DirectLeases next = direct.poll(); next != null; next = direct.poll()) {
            committed.add(next);
        }
        outage.begins();
        try {
            List<Long> numbers =
                    committed.stream().flatMap(each -> each.distinct().stream()).toList();
            handOver(() -> source.confirm(numbers));
            outage.over();
            committed.forEach(this::endPromise);
            return Duration.ZERO;
        } catch (LeaseLostException ex) {
            // rescued already, or soon
            outage.over();
            committed.forEach(this::endPromise);
            onDeclaredDead.run();
            return REGISTRATION_PAUSE;
        } catch (RuntimeException ex) {
            direct.addAll(committed);
            return outage.failed(ex);
        } catch (Error ex) {
            direct.addAll(committed);
            throw ex;
        }
    }

    /** Claims, hands over, and tells how many were missing in each queue. */
    private Map<String, Integer> claimed(Map<String, Integer> limits) {
        return missing(limits, handOver(() -> source.claim(limits)));
    }

    private List<ClaimedJob> handOver(Supplier<List<ClaimedJob>> claim) {
        away = true;
        try {
            long began = System.nanoTime();
            List<ClaimedJob> jobs = claim.get();
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            dispatcher.accept(jobs);
            events.claimed(took, jobs.size());
            return jobs;
        } finally {
            away = false;
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

    /** Takes jobs from the database. */
    interface ClaimSource {

        /** Those that are due, so many of each queue. */
        List<ClaimedJob> claim(Map<String, Integer> limits);

        /** Those that were published under these leases. */
        List<ClaimedJob> confirm(List<Long> leases);
    }
}
