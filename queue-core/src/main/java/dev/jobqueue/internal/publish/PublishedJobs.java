package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.db.CallersTransaction.FollowUp;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is told of jobs after their commit: the queues to wake, and how many jobs there are of each kind. The jobs
 * themselves are not kept, because a transaction may publish more payloads than fit into memory.
 */
final class PublishedJobs implements FollowUp {

    /** Stands for "something is due later". */
    private static final String LATER = "";

    private final WakeUps wakeUps;
    private final Set<String> queues = new HashSet<>();
    private final List<DirectLeases> leases = new ArrayList<>();
    private final Map<Kind, Integer> counts = new HashMap<>();

    PublishedJobs(WakeUps wakeUps) {
        this.wakeUps = wakeUps;
    }

    /**
     * @param direct the leases of those jobs that need nobody to be woken
     */
    PublishedJobs add(List<NewJob> jobs, @Nullable DirectLeases direct) {
        for (int i = 0; i < jobs.size(); i++) {
            NewJob job = jobs.get(i);
            counts.merge(new Kind(job.queueName(), job.type()), 1, Integer::sum);
            if (job.delay() != null || job.runAt() != null) {
                queues.add(LATER);
            }
            if (job.delay() == null && (direct == null || direct.numbers().get(i) == null)) {
                queues.add(job.queueName());
            }
        }
        return this;
    }

    /** Jobs that are about to be published under these leases. */
    PublishedJobs expect(@Nullable DirectLeases direct) {
        if (direct != null) {
            leases.add(direct);
        }
        return this;
    }

    /** To be called once, after the commit. */
    @Override
    public void run() {
        wakeUps.published(this);
    }

    @Override
    public void rolledBack() {
        leases.forEach(wakeUps::withdrawn);
    }

    List<DirectLeases> leases() {
        return leases;
    }

    Set<String> queues() {
        return queues;
    }

    void count(QueueEvents events) {
        counts.forEach((kind, jobs) -> events.published(kind.queue, kind.type, jobs));
    }

    private record Kind(String queue, String type) {}
}
