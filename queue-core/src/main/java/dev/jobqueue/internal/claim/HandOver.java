package dev.jobqueue.internal.claim;

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
import java.util.function.Supplier;

/** Takes jobs from the database and hands them to the slots. */
final class HandOver {

    private final ClaimSource source;
    private final Slots slots;
    private final QueueEvents events;
    private volatile boolean underWay;

    HandOver(ClaimSource source, Slots slots, QueueEvents events) {
        this.source = source;
        this.slots = slots;
        this.events = events;
    }

    /** Whether a claim is under way, or what it brought is not handed over yet. */
    boolean isUnderWay() {
        return underWay;
    }

    /** Claims, and returns how many jobs were missing in each queue. */
    Map<String, Integer> claim(Map<String, Integer> limits) {
        return missing(limits, handOver(() -> source.claim(limits)));
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
        underWay = true;
        try {
            long began = System.nanoTime();
            List<ClaimedJob> jobs = claim.get();
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            accept(jobs);
            events.claimed(took, jobs.size());
            return jobs;
        } finally {
            underWay = false;
        }
    }

    private void accept(List<ClaimedJob> jobs) {
        try {
            slots.accept(jobs);
        } catch (RuntimeException | Error ex) {
            source.notTaken();
            throw ex;
        }
    }

    /** None where the size of the jobs may have ended the claim: a character is three bytes at most. */
    private Map<String, Integer> missing(Map<String, Integer> limits, List<ClaimedJob> jobs) {
        Map<String, Integer> missing = new LinkedHashMap<>(limits);
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
