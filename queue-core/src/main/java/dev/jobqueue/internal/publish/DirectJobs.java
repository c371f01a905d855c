package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.claim.Claimer;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.flow.FreeSlots;
import dev.jobqueue.internal.slot.QueueSlots;
import dev.jobqueue.internal.slot.Slots;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * Takes jobs that are published on this node without a claim, and steps that it frees: as many as there are free slots,
 * and only of queues in which nothing is known to wait.
 */
public final class DirectJobs {

    /** How many jobs one lease holds. More jobs at once are a backlog, which all nodes should share. */
    static final int MAX_JOBS = 64;

    /** How many numbers there are to choose from: a number and a version must fit into a lease. */
    private static final long NUMBERS = 1L << 50;

    private final Slots slots;
    private final Claimer claimer;
    private final WorkerIdentity identity;

    public DirectJobs(Slots slots, Claimer claimer, WorkerIdentity identity) {
        this.slots = slots;
        this.claimer = claimer;
        this.identity = identity;
    }

    /** Leases for those of the jobs that start here; {@code null} if there are none. */
    public @Nullable DirectLeases offer(List<NewJob> jobs) {
        // publish_many takes leases only where none of its jobs is due later or may be there already
        if (jobs.size() > MAX_JOBS || !jobs.stream().allMatch(job -> job.isDueAtOnce() && !job.mayWaitForOthers())) {
            return null;
        }
        Map<String, Long> leases = new HashMap<>();
        Map<String, Integer> promised = new HashMap<>();
        List<@Nullable Long> numbers = new ArrayList<>();
        for (NewJob job : jobs) {
            String queue = job.queueName();
            boolean taken = job.limits() == null && slots.handles(job.type()) && promise(queue);
            if (taken) {
                promised.merge(queue, 1, Integer::sum);
            }
            numbers.add(taken ? leases.computeIfAbsent(queue, none -> number()) : null);
        }
        return leases.isEmpty() ? null : new DirectLeases(identity.id(), numbers, promised);
    }

    /**
     * Slots for steps of flows that become free; {@code null} if there are none. Half of those that are free, because
     * jobs that are published meanwhile want some too.
     */
    public @Nullable FreeSlots offerSlots() {
        Map<String, Integer> promised = new LinkedHashMap<>();
        List<Long> leases = new ArrayList<>();
        int left = MAX_JOBS;
        for (QueueSlots each : slots.all()) {
            int wanted = Math.min(left, (each.capacity() - each.active() + 1) / 2);
            int taken = 0;
            while (taken < wanted && promise(each.queue())) {
                taken++;
            }
            if (taken > 0) {
                promised.put(each.queue(), taken);
                leases.add(number());
                left -= taken;
            }
        }
        return promised.isEmpty() ? null : new FreeSlots(identity.id(), slots.types(), promised, leases);
    }

    private boolean promise(String queue) {
        QueueSlots free = slots.of(queue);
        return free != null && claimer.isIdle(queue) && free.promise();
    }

    /** A negative number, unlike those of claims. Chosen here, so that the database need not return it. */
    private static long number() {
        return -1 - ThreadLocalRandom.current().nextLong(NUMBERS);
    }
}
