package dev.jobqueue.internal.node;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.claim.Claimer;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.claim.WorkerClaims;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.flow.FreeSlots;
import dev.jobqueue.internal.flow.ResolveCalls.Taken;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.node.NodeStatus.DeafRuns;
import dev.jobqueue.internal.node.NodeStatus.SlotUse;
import dev.jobqueue.internal.publish.DirectJobs;
import dev.jobqueue.internal.publish.LocalWorker;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.settle.Afterwards;
import dev.jobqueue.internal.settle.FailureLog;
import dev.jobqueue.internal.settle.Settler;
import dev.jobqueue.internal.slot.QueueSlots;
import dev.jobqueue.internal.slot.Slots;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The way of a job through this node: it is claimed, runs in a slot, and is settled. */
final class JobPipeline implements LocalWorker {

    /** How long a node that stops tries to settle what is left. */
    static final Duration SETTLE_WAIT = Duration.ofSeconds(4);

    /**
     * How long a claim waits for a table that somebody holds locked. Much shorter than the time after which its thread
     * counts as stuck, because a node with such a thread keeps silent, and its running jobs would be rescued.
     */
    private static final Duration CLAIM_LOCK_WAIT = Duration.ofSeconds(5);

    private final boolean direct;
    private final boolean hasHandlers;
    private final Bells bells;
    private final JobsInFlight inFlight = new JobsInFlight();
    private final Settler settler;
    private final Slots slots;
    private final Claimer claimer;
    private final DirectJobs directJobs;

    /**
     * @param pollInterval how often to look for jobs when nothing wakes the claimer, as things are at the moment
     * @param bells rung when there is something to do for other parts of the node
     */
    JobPipeline(
            NodeSettings settings,
            HandlingSetup setup,
            WorkerIdentity identity,
            Supplier<Duration> pollInterval,
            Bells bells) {
        Sql apart = setup.application().database().apart();
        QueueEvents events = setup.application().extensions().events();
        FailureLog failures = new FailureLog(settings.failureLog(), System::nanoTime);
        this.direct = settings.direct();
        this.bells = bells;
        this.settler = new Settler(apart, inFlight, events, failures, new AfterRuns());
        this.slots = new Slots(setup, inFlight, settler::accept);
        this.hasHandlers = !slots.types().isEmpty();
        WorkerClaims claims = new WorkerClaims(
                new ClaimCalls(apart.waitingForLocks(CLAIM_LOCK_WAIT)),
                identity,
                slots.types(),
                settings.maxClaimBytes());
        this.claimer = new Claimer(claims, slots, settler, pollInterval, events);
        this.directJobs = new DirectJobs(slots, claimer, identity);
    }

    void startSettling() {
        settler.start();
    }

    /** Claims from now on, unless this node has no handlers. */
    void startClaiming() {
        if (hasHandlers) {
            claimer.start();
        }
    }

    /** Stops claiming, then the handlers, then settles what is left. */
    void stop(Duration grace) throws InterruptedException {
        claimer.close();
        slots.stop(grace);
        settler.close(SETTLE_WAIT.toMillis());
    }

    /** Ends the threads of the handlers, after everything is settled. */
    void close() {
        slots.close();
    }

    Claimer claimer() {
        return claimer;
    }

    JobsInFlight inFlight() {
        return inFlight;
    }

    @Override
    public void wake(Set<String> queues) {
        claimer.wake(queues);
        if (queues.contains(LATER)) {
            bells.scheduled();
        }
    }

    @Override
    public void flowsChanged() {
        bells.flowsChanged();
    }

    @Override
    public @Nullable DirectLeases offer(List<NewJob> jobs) {
        return direct ? directJobs.offer(jobs) : null;
    }

    /** Slots for steps that become free; {@code null} if there are none. */
    @Nullable
    FreeSlots offerSlots() {
        return direct ? directJobs.offerSlots() : null;
    }

    /** Runs the steps that a call takes for these slots; {@code null} if this node takes none any more. */
    @Nullable
    Taken<ClaimedJob> take(FreeSlots free, Supplier<Taken<ClaimedJob>> call) {
        return claimer.take(free.slots(), call, Taken::jobs);
    }

    @Override
    public void committed(DirectLeases leases) {
        claimer.committed(leases);
    }

    @Override
    public void withdrawn(DirectLeases leases) {
        claimer.endPromise(leases);
    }

    /** The threads without which jobs that this node holds would be held for ever. */
    List<Loop> threads() {
        return List.of(claimer.loop(), settler.loop());
    }

    /** Why one of these threads does not work any more; {@code null} while all do. */
    @Nullable
    String trouble() {
        for (Loop loop : threads()) {
            String found = loop.trouble();
            if (found != null) {
                return "thread '" + loop.name() + "' " + found;
            }
        }
        return null;
    }

    /** What keeps this node from claiming and settling, by task. */
    Map<String, Optional<Outage.Report>> outages() {
        Optional<Outage.Report> allHeld = settler.allHeld(
                slots.all().stream().mapToInt(QueueSlots::capacity).sum());
        Map<String, Optional<Outage.Report>> outages = new LinkedHashMap<>();
        outages.put("settle", allHeld.or(() -> settler.outage().report()));
        outages.put("settle-single", allHeld.isPresent() ? Optional.empty() : settler.held());
        outages.put("claim", claimer.outage().report());
        return outages;
    }

    Map<String, SlotUse> slotUse() {
        Map<String, SlotUse> use = new LinkedHashMap<>();
        for (QueueSlots each : slots.all()) {
            use.put(each.queue(), new SlotUse(each.capacity(), each.active()));
        }
        return use;
    }

    /** The runs that ignore the interrupt of their timeout, by type. */
    Map<String, DeafRuns> deafRuns() {
        Map<String, DeafRuns> runs = new LinkedHashMap<>();
        slots.deafRuns()
                .forEach((handler, count) -> runs.put(handler.type(), new DeafRuns(count, handler.transactional())));
        return runs;
    }

    private final class AfterRuns implements Afterwards {

        @Override
        public void scheduled() {
            bells.scheduled();
        }

        @Override
        public void freed(String queue) {
            claimer.wake(List.of(queue));
        }

        @Override
        public void linkedEnded() {
            bells.flowsChanged();
        }
    }

    /** Rung when there is something to do for other parts of the node. */
    interface Bells {

        /** A job is due later. */
        void scheduled();

        /** A job of a batch or flow ended, or batches and flows were published. */
        void flowsChanged();
    }
}
