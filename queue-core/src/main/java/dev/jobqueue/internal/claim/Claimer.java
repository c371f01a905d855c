package dev.jobqueue.internal.claim;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.Settler;
import dev.jobqueue.internal.slot.QueueSlots;
import dev.jobqueue.internal.slot.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Claims jobs for all queues of this node, as many as there are free slots for. One thread, which sleeps until it is
 * woken or its poll is due; docs/architecture.md lists all who wake it. It is no daemon: an application that only works
 * jobs lives as long as it does.
 */
public final class Claimer {

    private static final int MAX_UNSETTLED = 5_000;
    private static final long UNSETTLED_PAUSE_NANOS = 1_000_000;

    /** How long to wait before the next claim while the heartbeat gets a new id for this node. */
    private static final Duration REGISTRATION_PAUSE = Duration.ofMillis(50);

    private final ClaimSource source;
    private final HandOver handOver;
    private final Slots slots;
    private final Settler settler;
    private final Outage outage = new Outage("Claiming jobs");
    private final Supplier<Duration> pollInterval;

    /** Queues that may have jobs waiting. */
    private final Set<String> hungry = ConcurrentHashMap.newKeySet();

    private final Loop loop = Loop.user("queue-claimer", this::round);
    private final Queue<DirectLeases> direct = new ConcurrentLinkedQueue<>();
    private volatile Set<String> asking = Set.of();
    private long nextPoll = System.nanoTime();

    /**
     * @param slots take what was claimed
     * @param settler nothing is claimed while it is far behind
     * @param pollInterval how often to look when nothing wakes this, as things are at the moment
     */
    public Claimer(
            ClaimSource source, Slots slots, Settler settler, Supplier<Duration> pollInterval, QueueEvents events) {
        this.source = source;
        this.slots = slots;
        this.settler = settler;
        this.pollInterval = pollInterval;
        this.handOver = new HandOver(source, slots, events);
        slots.onFreed(this::slotFreed);
    }

    public void start() {
        // until the first claim nobody knows what waits
        hungry.addAll(queues());
        loop.start();
    }

    public Loop loop() {
        return loop;
    }

    /** Some jobs were published, or became due, in these queues. */
    public void wake(Collection<String> queues) {
        boolean news = false;
        for (String queue : queues) {
            news |= slots.of(queue) != null && hungry.add(queue);
        }
        if (news) {
            loop.wake();
        }
    }

    public void wakeAll() {
        wake(queues());
    }

    private List<String> queues() {
        return slots.all().stream().map(QueueSlots::queue).toList();
    }

    /** A slot became free. */
    private void slotFreed(String queue) {
        if (hungry.contains(queue)) {
            loop.wake();
        }
    }

    public Outage outage() {
        return outage;
    }

    /**
     * Whether nothing waits in a queue, as far as this node knows, so that a new job may start without being claimed.
     */
    public boolean isIdle(String queue) {
        return loop.isRunning() && !hungry.contains(queue) && !asking.contains(queue) && !outage.isOn();
    }

    /** Jobs that this node took as they were published are committed. */
    public void committed(DirectLeases leases) {
        direct.add(leases);
        loop.wake();
    }

    /** The jobs of these leases are in their slots, or will not come: nothing is promised to them any more. */
    public void endPromise(DirectLeases leases) {
        handOver.endPromise(leases.promised());
    }

    /**
     * Hands over what another call takes for slots that were promised.
     *
     * @return the answer of the call; {@code null} if there is none, because this worker ends or was declared dead
     */
    public <A> @Nullable A take(Map<String, Integer> promised, Supplier<A> call, Function<A, List<ClaimedJob>> jobs) {
        try {
            return handOver.take(call, jobs);
        } catch (LeaseLostException ex) {
            source.declaredDead();
            return null;
        } finally {
            handOver.endPromise(promised);
        }
    }

    /** Whether a claim is under way, or what it brought is not handed over yet. */
    public boolean isAway() {
        return handOver.isUnderWay();
    }

    public void close() throws InterruptedException {
        long end = System.nanoTime() + Threads.CLOSE_WAIT.toNanos();
        loop.end();
        handOver.close(Threads.CLOSE_WAIT);
        loop.join(Duration.ofNanos(end - System.nanoTime()));
    }

    private void round() {
        if (!direct.isEmpty()) {
            loop.pause(confirm());
        }
        long now = System.nanoTime();
        if (now - nextPoll >= 0) {
            hungry.addAll(queues());
            nextPoll = now + jittered(pollInterval.get());
        }
        Map<String, Integer> wanted = wanted();
        if (wanted.isEmpty()) {
            loop.park(Math.max(1, nextPoll - System.nanoTime()));
        } else if (settler.backlog() > MAX_UNSETTLED) {
            loop.park(UNSETTLED_PAUSE_NANOS);
        } else {
            loop.pause(claim(wanted));
        }
    }

    private Map<String, Integer> wanted() {
        Map<String, Integer> wanted = new LinkedHashMap<>();
        for (QueueSlots each : slots.all()) {
            int most = hungry.contains(each.queue()) ? each.wanted() : 0;
            if (most > 0) {
                wanted.put(each.queue(), most);
            }
        }
        return wanted;
    }

    /** Claims, hands over, and tells how long to wait before the next time. */
    private Duration claim(Map<String, Integer> wanted) {
        asking = wanted.keySet();
        // before the claim: a wake-up that comes while it is under way makes the queue hungry again
        hungry.removeAll(wanted.keySet());
        outage.begins();
        try {
            handOver.claim(wanted).forEach((queue, missing) -> {
                if (missing <= 0) {
                    hungry.add(queue);
                }
            });
            outage.over();
            return Duration.ZERO;
        } catch (LeaseLostException ex) {
            outage.over();
            hungry.addAll(wanted.keySet());
            source.declaredDead();
            return REGISTRATION_PAUSE;
        } catch (RuntimeException ex) {
            hungry.addAll(wanted.keySet());
            return outage.failed(ex);
        } catch (Error ex) {
            hungry.addAll(wanted.keySet());
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
            Set<String> missing = handOver.confirm(committed);
            outage.over();
            committed.forEach(this::endPromise);
            // a job with limits gets no lease when it is published: it waits, and has to be claimed
            hungry.addAll(missing);
            return Duration.ZERO;
        } catch (LeaseLostException ex) {
            // rescued already, or soon
            outage.over();
            committed.forEach(this::endPromise);
            source.declaredDead();
            return REGISTRATION_PAUSE;
        } catch (RuntimeException ex) {
            committed.forEach(this::committed);
            return outage.failed(ex);
        } catch (Error ex) {
            committed.forEach(this::committed);
            throw ex;
        }
    }

    private static long jittered(Duration interval) {
        long nanos = interval.toNanos();
        return nanos - nanos / 5 + ThreadLocalRandom.current().nextLong(nanos / 5 * 2 + 1);
    }
}
