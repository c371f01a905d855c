package dev.jobqueue.internal.publish;

import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.db.CallersTransaction.FollowUp;
import dev.jobqueue.internal.extend.JobListeners;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.spi.JobEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is told about jobs after their commit: the queues to wake, how many jobs there are of each kind, and for
 * listeners a limited number of ids. The jobs themselves are not kept, because a transaction may publish more payloads
 * than fit into memory.
 */
final class PublishedJobs implements FollowUp {

    private final WakeUps wakeUps;
    private final Set<String> queues = new HashSet<>();
    private final List<DirectLeases> leases = new ArrayList<>();
    private final Map<Kind, Integer> counts = new HashMap<>();
    private final List<JobEvent.Published> followed = new ArrayList<>();
    private int leftOut;
    private boolean flowsChanged;

    PublishedJobs(WakeUps wakeUps) {
        this.wakeUps = wakeUps;
    }

    /**
     * @param answers what the database returned: another id than the job's own if its unique key was taken
     * @param direct the leases of those jobs that need nobody to be woken
     */
    PublishedJobs add(List<NewJob> jobs, List<PublishResult> answers, @Nullable DirectLeases direct) {
        if (wakeUps.followsJobs()) {
            follow(jobs, answers);
        }
        for (int i = 0; i < jobs.size(); i++) {
            NewJob job = jobs.get(i);
            if (answers.get(i).isNew()) {
                counts.merge(new Kind(job.queueName(), job.type()), 1, Integer::sum);
            }
            if (job.delay() != null || job.runAt() != null) {
                queues.add(LocalWorker.LATER);
            }
            boolean mayBeDue = job.delay() == null || job.delay().isZero();
            if (mayBeDue && (direct == null || direct.numbers().get(i) == null)) {
                queues.add(job.queueName());
            }
        }
        return this;
    }

    private void follow(List<NewJob> jobs, List<PublishResult> answers) {
        Instant now = Instant.now();
        for (int i = 0; i < jobs.size(); i++) {
            PublishResult answer = answers.get(i);
            if (answer.isNew() || answer.outcome() == PublishResult.Outcome.REPLACED) {
                if (followed.size() < JobListeners.CAPACITY) {
                    followed.add(jobs.get(i).published(answer.id(), now));
                } else {
                    leftOut++;
                }
            }
        }
    }

    /** Jobs that are about to be published under these leases. */
    PublishedJobs expect(@Nullable DirectLeases direct) {
        if (direct != null) {
            leases.add(direct);
        }
        return this;
    }

    /**
     * A batch or flow was published or changed.
     *
     * @param woken the queues in which it has jobs already
     */
    void flowsChanged(Collection<String> woken) {
        flowsChanged = true;
        queues.addAll(woken);
    }

    boolean areFlowsChanged() {
        return flowsChanged;
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

    void tell(QueueEvents events) {
        counts.forEach((kind, jobs) -> events.published(kind.queue, kind.type, jobs));
        if (!followed.isEmpty()) {
            events.published(followed, leftOut);
        }
    }

    private record Kind(String queue, String type) {}
}
