package dev.jobqueue.internal.publish;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Json.PayloadWriter;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.extend.Interceptors;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlerRegistry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Publishes in the caller's transaction while it is open, else together with whoever publishes at the same moment. */
public final class QueuePublisher implements JobPublisher {

    private final PublishCalls publications;
    private final GroupCommit groupCommit;
    private final HandlerRegistry handlers;
    private final Json json;
    private final Interceptors interceptors;
    private final boolean requiresTransaction;

    /**
     * @param groupCommit publishes for callers without a transaction
     * @param requiresTransaction whether to refuse jobs that would not commit with a transaction of the caller
     */
    public QueuePublisher(Application application, GroupCommit groupCommit, boolean requiresTransaction) {
        this.publications = new PublishCalls(application.database().joining());
        this.groupCommit = groupCommit;
        this.handlers = application.handlers();
        this.json = application.json();
        this.interceptors = application.extensions().interceptors();
        this.requiresTransaction = requiresTransaction;
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
        // an interceptor that did not go on knows of a job that is there
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
        List<NewJob> prepared = prepare(jobs);
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

    private List<NewJob> prepare(List<Job> jobs) {
        try (PayloadWriter payloads = json.payloadWriter(jobs.size())) {
            return jobs.stream()
                    .map(job -> prepare(job, payloads.write(job.payload())))
                    .toList();
        }
    }

    private static Object requirePayload(@Nullable Object payload) {
        if (payload == null) {
            throw new InvalidJobException("type is null, and so is the payload that could tell it: name the type");
        }
        return payload;
    }

    private NewJob prepare(Job job, String written) {
        Object payload = job.payload();
        String type = job.type() != null ? job.type() : handlers.typeOf(requirePayload(payload));
        return new NewJob(
                job.id() != null ? job.id() : Uuids.next(),
                job.id() != null,
                type,
                written,
                job.queue() != null ? job.queue() : handlers.queueOf(type, payload),
                job.priority(),
                job.runAt(),
                job.delay(),
                job.maxAttempts(),
                job.timeout(),
                job.uniqueKey(),
                job.headers().isEmpty() ? null : json.write(job.headers()),
                UniqueRules.of(job),
                job.limits().isEmpty() ? null : json.write(job.limits()));
    }
}
