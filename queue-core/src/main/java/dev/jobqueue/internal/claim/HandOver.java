package dev.jobqueue.internal.claim;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.slot.Slots;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Takes jobs from the database and hands them to the slots. */
final class HandOver {

    private final ClaimSource source;
    private final Slots slots;
    private final QueueEvents events;
    private int underWay;
    private boolean closed;

    HandOver(ClaimSource source, Slots slots, QueueEvents events) {
        this.source = source;
        this.slots = slots;
        this.events = events;
    }

    /** Whether a claim is under way, or what it brought is not handed over yet. */
    synchronized boolean isUnderWay() {
        return underWay > 0;
    }

    /** Takes nothing from now on. Waits until the slots have what is under way, but no longer than this. */
    synchronized void close(Duration patience) throws InterruptedException {
        closed = true;
        long end = System.nanoTime() + patience.toNanos();
        for (long left = patience.toMillis(); underWay > 0 && left > 0; left = (end - System.nanoTime()) / 1_000_000) {
            wait(left);
        }
    }

    /** Ends the promise of these slots: the jobs arrived, or will not come. */
    void endPromise(Map<String, Integer> promised) {
        promised.forEach(
                (queue, jobs) -> Objects.requireNonNull(slots.of(queue)).endPromise(jobs));
    }

    private synchronized boolean begin() {
        if (!closed) {
            underWay++;
        }
        return !closed;
    }

    private synchronized void end() {
        underWay--;
        notifyAll();
    }

    /** Claims, and returns how many jobs were missing in each queue. */
    Map<String, Integer> claim(Map<String, Integer> wanted) {
        return missing(wanted, handOver(() -> source.claim(wanted)));
    }

    /** Takes the jobs that were published under these leases, and returns the queues that brought fewer of them. */
    Set<String> confirm(List<DirectLeases> committed) {
        List<Long> numbers =
                committed.stream().flatMap(each -> each.distinct().stream()).toList();
        Map<String, Integer> missing = new HashMap<>();
        committed.forEach(each -> each.promised().forEach((queue, jobs) -> missing.merge(queue, jobs, Integer::sum)));
        handOver(() -> source.confirm(numbers)).forEach(job -> missing.merge(job.queue(), -1, Integer::sum));
        missing.values().removeIf(jobs -> jobs <= 0);
        return missing.keySet();
    }

    private List<ClaimedJob> handOver(Supplier<List<ClaimedJob>> claim) {
        List<ClaimedJob> taken = take(
                () -> {
                    long began = System.nanoTime();
                    List<ClaimedJob> jobs = claim.get();
                    events.claimed(Duration.ofNanos(System.nanoTime() - began), jobs.size());
                    return jobs;
                },
                jobs -> jobs);
        return taken == null ? List.of() : taken;
    }

    /** Hands over what a call brings; {@code null} if this is closed. */
    <A> @Nullable A take(Supplier<A> call, Function<A, List<ClaimedJob>> jobs) {
        if (!begin()) {
            return null;
        }
        try {
            A answer = call.get();
            slots.accept(jobs.apply(answer));
            return answer;
        } catch (LeaseLostException ex) {
            throw ex;
        } catch (RuntimeException | Error ex) {
            source.notTaken();
            throw ex;
        } finally {
            end();
        }
    }

    /**
     * Returns how many wanted jobs did not come, by queue; 0 where the size of the jobs may have ended the claim, for
     * which a character counts as three bytes.
     */
    private Map<String, Integer> missing(Map<String, Integer> wanted, List<ClaimedJob> jobs) {
        Map<String, Integer> missing = new LinkedHashMap<>(wanted);
        Map<String, Long> bytes = new HashMap<>();
        for (ClaimedJob job : jobs) {
            missing.merge(job.queue(), -1, Integer::sum);
            bytes.merge(job.queue(), 3L * job.length(), Long::sum);
        }
        bytes.forEach((queue, size) -> {
            if (size >= Objects.requireNonNull(slots.of(queue)).maxBytes()) {
                missing.put(queue, 0);
            }
        });
        return missing;
    }
}
