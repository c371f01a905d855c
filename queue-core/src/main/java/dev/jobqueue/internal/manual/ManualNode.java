package dev.jobqueue.internal.manual;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.db.Savepoints;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.flow.ResolveCalls;
import dev.jobqueue.internal.flow.ResolveCalls.Resolution;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.internal.operate.JobReader;
import dev.jobqueue.internal.schedule.ScheduleCalls;
import dev.jobqueue.internal.schedule.Scheduler;
import dev.jobqueue.internal.settle.FailureLog;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.internal.settle.OutcomeWriter;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.ManualWorker;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/** A node without threads, which does what its caller asks for, in the caller's transaction. */
public final class ManualNode implements ManualWorker {

    private static final int BATCH = 1_000;

    /** For those who do not say: no other worker is declared dead by this one. */
    private static final Duration NEVER = Spans.LONGEST;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private final NodeSettings settings;
    private final HandlerRegistry handlers;
    private final Json json;
    private final WorkerIdentity identity = new WorkerIdentity();
    private final Savepoints savepoints;
    private final ManualSlot slot;
    private final ClaimCalls claims;
    private final OutcomeWriter outcomes;
    private final MaintainCalls upkeep;
    private final NodeCalls beats;
    private final ScheduleCalls schedules;
    private final Scheduler scheduler;
    private final JobReader reader;
    private final ResolveCalls flows;

    /** The one that had a job last comes first. */
    private final Deque<String> queues;

    /**
     * @param transactions in which schedules fire: the caller's, or one of their own
     */
    public ManualNode(
            NodeSettings settings,
            Application application,
            HandlingSetup.Resources resources,
            TransactionOperations transactions) {
        this.settings = settings;
        this.handlers = application.handlers();
        this.json = application.json();
        this.queues = new ArrayDeque<>(settings.slots().keySet());
        QueueEvents events = application.extensions().events();
        Sql joining = application.database().joining();
        this.savepoints = new Savepoints(application.database().dataSource());
        this.slot = new ManualSlot(settings.handling(application, resources, identity::id), savepoints);
        this.claims = new ClaimCalls(joining);
        this.outcomes = new OutcomeWriter(
                new SettleCalls(joining),
                new FailureLog(settings.failureLog(), System::nanoTime),
                end -> events.ended(end.event()));
        this.upkeep = new MaintainCalls(joining);
        this.beats = new NodeCalls(joining, SHORTEST);
        this.schedules = new ScheduleCalls(joining, settings.application());
        this.scheduler = new Scheduler(schedules, transactions, settings::pollInterval, published -> {}, events);
        this.reader = new JobReader(joining, json);
        this.flows = new ResolveCalls(joining);
    }

    @Override
    public Map<String, HandlerDefinition> handlers() {
        return handlers.types().stream()
                .collect(Collectors.toMap(type -> type, type -> Objects.requireNonNull(handlers.find(type))));
    }

    @Override
    public Set<String> queues() {
        return settings.slots().keySet();
    }

    @Override
    public List<JobDetails> find(Collection<UUID> ids) {
        return reader.find(ids);
    }

    @Override
    public Object readPayload(String payload, Type type) {
        return json.readPayload(payload, type);
    }

    @Override
    public String write(Object value) {
        return json.write(value);
    }

    @Override
    public void fireSchedules() {
        scheduler.fireDue();
    }

    @Override
    public Optional<Instant> promote() {
        return Stream.of(resolve(), upkeep.promoteDue(BATCH), schedules.nextDue())
                .flatMap(Optional::stream)
                .min(Instant::compareTo);
    }

    /** Lets batches and flows go on, and tells when the next of their timers is due. */
    private Optional<Instant> resolve() {
        Resolution last = flows.resolve(BATCH, false);
        while (last.more() && last.folded() > 0) {
            last = flows.resolve(BATCH, false);
        }
        return last.nextAt();
    }

    @Override
    public Optional<UUID> handleNext(@Nullable String type, Watch watch) {
        ClaimedJob claimed = claim(type == null ? handlers.types() : Set.of(type));
        if (claimed == null) {
            return Optional.empty();
        }
        Outcome outcome = slot.handle(claimed, watch);
        if (outcome == null) {
            presumeDead(claimed.lease());
        } else if (outcome instanceof Outcome.Gone gone) {
            requireSeen(gone, claimed);
        } else {
            settle(outcome);
        }
        if (claimed.place() != null) {
            resolve();
        }
        return Optional.of(claimed.lease().id());
    }

    /** Nobody takes jobs from this node: a lease that was not found is there, but was not seen. */
    private void requireSeen(Outcome.Gone outcome, ClaimedJob job) {
        if (outcome.ending() == JobEnding.LEASE_LOST
                && reader.find(List.of(job.lease().id())).stream().anyMatch(each -> each.state() == JobState.RUNNING)) {
            throw new IllegalStateException(
                    ("The handler of '%s' called its JobContext on another thread or in a transaction of its own"
                                    + " (REQUIRES_NEW), which does not see job %s: the transaction of the test has not"
                                    + " committed it. Let such a test commit, without a transaction around it.")
                            .formatted(job.type(), job.lease().id()));
        }
    }

    private @Nullable ClaimedJob claim(Collection<String> types) {
        for (String queue : List.copyOf(queues)) {
            List<ClaimedJob> claimed = claims.claim(identity.id(), Map.of(queue, 1), types);
            if (!claimed.isEmpty()) {
                return claimed.get(0);
            }
            queues.addLast(queues.removeFirst());
        }
        return null;
    }

    /** Results and errors may be refused, which must not cost the caller's transaction. */
    private void settle(Outcome outcome) {
        Savepoints.Mark mark = outcome.length() > 0 ? savepoints.set() : null;
        try {
            outcomes.write(new ArrayList<>(List.of(outcome)));
            if (mark != null) {
                mark.keep();
            }
        } catch (RuntimeException ex) {
            if (mark != null) {
                mark.rollBack();
            }
            outcomes.writeRefused(outcome, ex);
        }
    }

    @Override
    public void loseLease() {
        JobLease running = slot.running();
        if (running == null) {
            throw new IllegalStateException("No handler runs now: only a job that runs has a lease to lose");
        }
        slot.lost();
        rescue(running);
    }

    private void presumeDead(JobLease lease) {
        rescue(lease);
        identity.renew();
    }

    /** Beats for the last time, and is late at once. Does nothing if the job was rescued already. */
    private void rescue(JobLease lease) {
        NodeCalls.Registration node = settings.registration(identity.id(), handlers.types());
        Savepoints.Mark mark = savepoints.set();
        try {
            beats.heartbeat(node, List.of(lease));
        } catch (LeaseLostException ex) {
            // declared dead already, by a rescue that was not rolled back
            if (mark != null) {
                mark.rollBack();
            }
            return;
        }
        int tries = 0;
        while (upkeep.rescue(NEVER, NEVER, BATCH).jobs().stream()
                .noneMatch(each -> each.id().equals(lease.id()))) {
            if (++tries > 10_000) { // a clock that stands still or goes back
                throw new IllegalStateException("Job %s is not rescued: was the time set back?".formatted(lease.id()));
            }
        }
    }
}
