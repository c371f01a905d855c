package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.store.NewJob;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * What is told of jobs after their commit: the queues to wake, and how many jobs there are of each kind. The jobs
 * themselves are not kept, because a transaction may publish more payloads than fit into memory.
 */
final class PublishedJobs implements Runnable {

    /** Stands for "something is due later". */
    private static final String LATER = "";

    private final WakeUps wakeUps;
    private final Set<String> queues = new HashSet<>();
    private final Map<Kind, Integer> counts = new HashMap<>();

    PublishedJobs(WakeUps wakeUps) {
        this.wakeUps = wakeUps;
    }

    PublishedJobs add(Collection<NewJob> jobs) {
        for (NewJob job : jobs) {
            counts.merge(new Kind(job.queueName(), job.type()), 1, Integer::sum);
            if (job.delay() != null || job.runAt() != null) {
                queues.add(LATER);
            }
            if (job.delay() == null) {
                queues.add(job.queueName());
            }
        }
        return this;
    }

    /** To be called once, after the commit. */
    @Override
    public void run() {
        wakeUps.published(this);
    }

    Set<String> queues() {
        return queues;
    }

    void count(QueueEvents events) {
        counts.forEach((kind, jobs) -> events.published(kind.queue, kind.type, jobs));
    }

    private record Kind(String queue, String type) {}
}
