package dev.jobqueue.internal.publish;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.extend.Interceptors;
import dev.jobqueue.internal.handle.Application;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/** Publishes batches and flows as a whole: in the caller's transaction while it is open, else in one of its own. */
final class FlowPublisher {

    /** How many members are read before they are stored. */
    private static final int PAGE = 1_000;

    private final FlowCalls calls;
    private final JobPreparer preparer;
    private final Function<List<NewJob>, List<PublishResult>> publisher;
    private final WakeUps wakeUps;
    private final Interceptors interceptors;
    private final Json json;
    private final TransactionOperations transactions;
    private final boolean requiresTransaction;

    /**
     * @param publisher publishes members
     * @param requiresTransaction whether to refuse what would not commit with a transaction of the caller
     */
    FlowPublisher(
            Application application,
            JobPreparer preparer,
            Function<List<NewJob>, List<PublishResult>> publisher,
            WakeUps wakeUps,
            boolean requiresTransaction) {
        this.calls = new FlowCalls(application.database().joining());
        this.preparer = preparer;
        this.publisher = publisher;
        this.wakeUps = wakeUps;
        this.interceptors = application.extensions().interceptors();
        this.json = application.json();
        this.transactions =
                ReadCommittedTransactions.ofTheirOwn(application.database().dataSource());
        this.requiresTransaction = requiresTransaction;
    }

    UUID publish(Batch batch) {
        return inTransaction("Batch '%s' is".formatted(batch.name()), () -> publish(batch, null));
    }

    UUID publish(Flow flow) {
        return inTransaction("Flow '%s' is".formatted(flow.name()), () -> publish(flow, null));
    }

    List<UUID> addToBatch(UUID batch, Collection<Job> members) {
        Objects.requireNonNull(batch, "batch");
        return inTransaction("Members are", () -> {
            List<UUID> ids = new ArrayList<>();
            pages(members.iterator(), page -> ids.addAll(publishMembers(batch, page)));
            return ids;
        });
    }

    List<UUID> addSteps(UUID id, UnaryOperator<Flow> steps) {
        Flow flow = steps.apply(Flow.of(id.toString()));
        FlowSteps graph = FlowSteps.ofAdded(flow);
        return inTransaction("Steps are", () -> {
            List<Job> jobs = FlowJson.jobs(flow);
            List<UUID> ids = new ArrayList<>();
            intercepted(jobs, given -> {
                ids.clear();
                ids.addAll(calls.addSteps(id, FlowJson.steps(flow, graph, given.iterator())));
                return id;
            });
            afterCommit().flowsChanged(List.of());
            return ids;
        });
    }

    boolean signal(UUID flow, String name, @Nullable Object payload) {
        return inTransaction("A signal is", () -> {
            boolean counts = calls.signal(flow, name, payload == null ? null : json.writeResult(payload));
            afterCommit().flowsChanged(List.of());
            return counts;
        });
    }

    private UUID publish(Batch batch, @Nullable UUID parent) {
        @Nullable Job[] following = {batch.onSuccess(), batch.onFinish(), batch.onDeath()};
        boolean[] isNew = {true};
        UUID id = following(batch.toString(), following, List.of(), (callbacks, none) -> {
            FlowCalls.Published opened = calls.openBatch(
                    new FlowCalls.Header(batch.name(), batch.key(), callbacks[0], callbacks[1], callbacks[2]), parent);
            isNew[0] = opened.isNew();
            return opened.id();
        });
        if (isNew[0]) {
            try (Stream<?> members = batch.members()) {
                pages(members.iterator(), page -> publishMembers(id, page));
            }
            calls.sealBatch(id);
            afterCommit().flowsChanged(List.of());
        }
        return id;
    }

    private UUID publish(Flow flow, @Nullable UUID parent) {
        FlowSteps graph = FlowSteps.of(flow);
        @Nullable Job[] following = {flow.onSuccess(), flow.onFinish(), flow.onDeath()};
        return following(flow.toString(), following, FlowJson.jobs(flow), (callbacks, jobs) -> {
            FlowCalls.Published published = calls.publishFlow(
                    new FlowCalls.Header(flow.name(), flow.key(), callbacks[0], callbacks[1], callbacks[2]),
                    FlowJson.steps(flow, graph, jobs),
                    parent,
                    wakeUps.inTransaction());
            if (published.isNew()) {
                afterCommit().flowsChanged(published.queues());
            }
            return published.id();
        });
    }

    private static void pages(Iterator<?> members, Consumer<List<Object>> page) {
        List<Object> next = new ArrayList<>();
        while (members.hasNext()) {
            next.add(Objects.requireNonNull(members.next(), "member"));
            if (next.size() == PAGE || !members.hasNext()) {
                page.accept(next);
                next = new ArrayList<>();
            }
        }
    }

    /** Publishes some members, and returns the ids of those that are jobs. */
    private List<UUID> publishMembers(UUID batch, List<Object> members) {
        List<Job> jobs = new ArrayList<>();
        for (Object member : members) {
            if (member instanceof Batch nested) {
                publish(nested, batch);
            } else if (member instanceof Flow nested) {
                publish(nested, batch);
            } else {
                Job job = member instanceof Job given ? given : Job.of(member);
                JobPreparer.refuseUnique("A member of the batch", job);
                jobs.add(job);
            }
        }
        return jobs.isEmpty() ? List.of() : interceptors.publish(jobs, given -> publishJobs(batch, given));
    }

    /** In parts that are not too long: the payloads of a page may be large. */
    private List<UUID> publishJobs(UUID batch, List<Job> jobs) {
        List<UUID> ids = new ArrayList<>();
        List<NewJob> part = new ArrayList<>();
        long length = 0;
        for (NewJob job : preparer.prepare(jobs, batch)) {
            part.add(job);
            length += job.payload().length();
            if (length > GroupCommit.MAX_LENGTH) {
                publisher.apply(part).forEach(answer -> ids.add(answer.id()));
                part = new ArrayList<>();
                length = 0;
            }
        }
        if (!part.isEmpty()) {
            publisher.apply(part).forEach(answer -> ids.add(answer.id()));
        }
        return ids;
    }

    /** Publishes with all interceptors around, which see the jobs that follow as well. */
    private UUID following(String what, @Nullable Job[] following, List<Job> jobs, Publication publication) {
        List<Job> all = new ArrayList<>();
        for (Job job : following) {
            if (job != null) {
                JobPreparer.refuseUnique("A job that follows " + what, job);
                all.add(job);
            }
        }
        all.addAll(jobs);
        return intercepted(all, prepared -> {
            Iterator<NewJob> next = prepared.iterator();
            @Nullable String[] callbacks = new String[following.length];
            for (int i = 0; i < following.length; i++) {
                callbacks[i] = FlowJson.callback(following[i] == null ? null : next.next());
            }
            return publication.publish(callbacks, next);
        });
    }

    /** Interceptors get the id of the flow for each of its jobs, because these are not there yet. */
    private UUID intercepted(List<Job> jobs, Function<List<NewJob>, UUID> publication) {
        if (jobs.isEmpty()) {
            return publication.apply(List.of());
        }
        return interceptors
                .publish(jobs, given -> Collections.nCopies(given.size(), publication.apply(preparer.prepare(given))))
                .get(0);
    }

    private PublishedJobs afterCommit() {
        return calls.callersTransaction().afterCommit(PublishedJobs.class, wakeUps, () -> new PublishedJobs(wakeUps));
    }

    private <T> T inTransaction(String what, Supplier<T> work) {
        CallersTransaction transaction = calls.callersTransaction();
        if (transaction.isOpen()) {
            return work.get();
        }
        if (requiresTransaction) {
            throw new JobQueueException(
                    ("%s published outside of a transaction of the queue's DataSource, or after its commit, which"
                                    + " queue.publisher.require-transaction forbids. Publish in a @Transactional method"
                                    + " whose transaction manager manages that DataSource.")
                            .formatted(what));
        }
        return Objects.requireNonNull(transactions.execute(status -> work.get()));
    }

    /** Publishes a batch or flow with the jobs that follow as JSON. */
    private interface Publication {
        UUID publish(@Nullable String[] callbacks, Iterator<NewJob> jobs);
    }
}
