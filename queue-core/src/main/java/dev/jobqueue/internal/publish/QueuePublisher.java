package dev.jobqueue.internal.publish;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.extend.Interceptors;
import dev.jobqueue.internal.handle.Application;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Publishes in the caller's transaction while it is open, else together with whoever publishes at the same moment. */
public final class QueuePublisher implements JobPublisher {

    private final PublishCalls publications;
    private final GroupCommit groupCommit;
    private final JobPreparer preparer;
    private final FlowPublisher flows;
    private final Interceptors interceptors;
    private final boolean requiresTransaction;

    /**
     * @param groupCommit publishes for callers without a transaction
     * @param requiresTransaction whether to refuse jobs that would not commit with a transaction of the caller
     */
    public QueuePublisher(Application application, GroupCommit groupCommit, boolean requiresTransaction) {
        this.publications = new PublishCalls(application.database().joining());
        this.groupCommit = groupCommit;
        this.preparer = new JobPreparer(application.handlers(), application.json());
        this.interceptors = application.extensions().interceptors();
        this.requiresTransaction = requiresTransaction;
        this.flows = new FlowPublisher(
                application, preparer, this::publishPrepared, groupCommit.wakeUps(), requiresTransaction);
    }

    @Override
    public UUID publish(Job job) {
        return publishAll(List.of(Objects.requireNonNull(job, "job"))).get(0);
    }

    @Override
    public List<UUID> publishAll(Collection<Job> jobs) {
        requireJobs(jobs);
        return jobs.isEmpty() ? List.of() : interceptors.publish(List.copyOf(jobs), given -> ids(publishNow(given)));
    }

    @Override
    public List<PublishResult> publishAllWithOutcome(Collection<Job> jobs) {
        requireJobs(jobs);
        if (jobs.isEmpty()) {
            return List.of();
        }
        List<PublishResult> answers = new ArrayList<>();
        List<UUID> ids = interceptors.publish(List.copyOf(jobs), given -> {
            answers.clear();
            answers.addAll(publishNow(given));
            return ids(answers);
        });
        // without answers an interceptor did not publish: the ids it returned are those of existing jobs
        return IntStream.range(0, ids.size())
                .mapToObj(i -> new PublishResult(
                        ids.get(i),
                        answers.isEmpty() ? Outcome.EXISTING : answers.get(i).outcome()))
                .toList();
    }

    private static void requireJobs(Collection<Job> jobs) {
        Objects.requireNonNull(jobs, "jobs");
        jobs.forEach(job -> Objects.requireNonNull(job, "job"));
    }

    private static List<UUID> ids(List<PublishResult> answers) {
        return answers.stream().map(PublishResult::id).toList();
    }

    private List<PublishResult> publishNow(List<Job> jobs) {
        return publishPrepared(preparer.prepare(jobs));
    }

    private List<PublishResult> publishPrepared(List<NewJob> prepared) {
        CallersTransaction transaction = publications.callersTransaction();
        if (transaction.isOpen()) {
            WakeUps wakeUps = groupCommit.wakeUps();
            DirectLeases leases = wakeUps.offer(prepared);
            // before the statement: whatever becomes of it, the end of the transaction frees the slots
            PublishedJobs published = transaction
                    .afterCommit(PublishedJobs.class, wakeUps, () -> new PublishedJobs(wakeUps))
                    .expect(leases);
            List<PublishResult> answers = publications.publishWithOutcome(prepared, wakeUps.inTransaction(), leases);
            published.add(prepared, answers, leases);
            return answers;
        }
        if (requiresTransaction) {
            throw new JobQueueException(
                    ("Job of type '%s' published outside of a transaction of the queue's DataSource, or after its"
                                    + " commit, which queue.publisher.require-transaction forbids. Publish it in a"
                                    + " @Transactional method whose transaction manager manages that DataSource.")
                            .formatted(prepared.get(0).type()));
        }
        return groupCommit.publish(prepared);
    }

    @Override
    public UUID publish(Batch batch) {
        return flows.publish(Objects.requireNonNull(batch, "batch"));
    }

    @Override
    public UUID publish(Flow flow) {
        return flows.publish(Objects.requireNonNull(flow, "flow"));
    }

    @Override
    public List<UUID> addToBatch(UUID batch, Collection<Job> members) {
        requireJobs(members);
        return flows.addToBatch(batch, members);
    }

    @Override
    public List<UUID> addSteps(UUID flow, UnaryOperator<Flow> steps) {
        return flows.addSteps(Objects.requireNonNull(flow, "flow"), Objects.requireNonNull(steps, "steps"));
    }

    @Override
    public boolean signal(UUID flow, String name, @Nullable Object payload) {
        return flows.signal(Objects.requireNonNull(flow, "flow"), Objects.requireNonNull(name, "name"), payload);
    }
}
