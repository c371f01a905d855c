package dev.jobqueue.internal.node;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.Interceptors;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.claim.Claimer;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.claim.WorkerClaims;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.handle.QueueSlots;
import dev.jobqueue.internal.handle.Slots;
import dev.jobqueue.internal.maintain.Caretaker;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.maintain.UnhandledTypes;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.publish.DirectJobs;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.schedule.ScheduleCalls;
import dev.jobqueue.internal.schedule.Scheduler;
import dev.jobqueue.internal.settle.FailureLog;
import dev.jobqueue.internal.settle.Settler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node: wires its parts, starts them, stops them without losing a job, and tells how they are. */
public final class Node {

    private static final Logger log = LoggerFactory.getLogger(Node.class);

    /** How many times rarer this node polls for jobs while notifications arrive. */
    private static final int RARER_FOR_JOBS = 3;

    /** The same for what is due later: scheduled jobs, schedules. */
    private static final int RARER_FOR_LATER = 12;

    private static final Duration SETTLE_WAIT = Duration.ofSeconds(4);

    private final NodeSettings settings;
    private final HandlerRegistry handlers;
    private final WorkerIdentity identity = new WorkerIdentity();
    private final JobsInFlight inFlight = new JobsInFlight();
    private final Settler settler;
    private final Slots slots;
    private final Claimer claimer;
    private final DirectJobs directJobs;
    private final Heartbeat heartbeat;
    private final Caretaker caretaker;
    private final Scheduler scheduler;
    private final @Nullable Listener listener;

    public Node(
            NodeSettings settings,
            HandlerRegistry handlers,
            NodeResources resources,
            QueueEvents events,
            Interceptors interceptors) {
        this.settings = settings;
        this.handlers = handlers;
        Sql apart = Sql.apart(resources.dataSource(), settings.schema());
        FailureLog failures = new FailureLog(settings.failureLog(), System::nanoTime);
        this.settler = new Settler(apart, inFlight, events, failures, new Afterwards());
        this.slots = new Slots(
                resources.handling(settings, handlers, interceptors, events, identity::id), inFlight, settler::accept);
        WorkerClaims claims =
                new WorkerClaims(new ClaimCalls(apart), identity, handlers.types(), settings.maxClaimBytes());
        this.claimer = new Claimer(claims, slots, settler, () -> safetyInterval(RARER_FOR_JOBS), events);
        this.directJobs = new DirectJobs(slots, claimer, identity);
        this.heartbeat = new Heartbeat(
                new NodeCalls(apart, settings.ttl()),
                this::describe,
                inFlight,
                identity,
                new Heartbeat.Timing(settings.heartbeatInterval(), this::isListening),
                new Vitals());
        this.caretaker = new Caretaker(
                new MaintainCalls(apart),
                new Caretaker.Timing(settings.ttl(), () -> safetyInterval(RARER_FOR_LATER)),
                claimer::wakeAll,
                events,
                new UnhandledTypes(new FigureReader(apart), settings.ttl()));
        this.scheduler = new Scheduler(
                new ScheduleCalls(Sql.joining(resources.dataSource(), settings.schema()), settings.application()),
                new ReadCommittedTransactions(resources.dataSource()),
                () -> safetyInterval(RARER_FOR_LATER),
                claimer::wake,
                events);
        ConnectionFactory connections = resources.connections();
        this.listener = connections == null ? null : listener(connections, new PublishCalls(apart));
    }

    /** How often to look for what notifications tell of: rarely, as long as they arrive. */
    private Duration safetyInterval(int rarer) {
        return isListening() ? settings.pollInterval().multipliedBy(rarer) : settings.pollInterval();
    }

    /** The probe is sent by another thread: this one would hear nothing while it waits for a connection of the pool. */
    private Listener listener(ConnectionFactory connections, PublishCalls calls) {
        return new Listener(
                connections,
                settings.schema(),
                probe -> CompletableFuture.runAsync(
                        () -> calls.wake(Set.of(probe)),
                        task -> Threads.daemon("queue-probe").newThread(task).start()),
                new Notices(heartbeat, claimer, caretaker, scheduler),
                Listener.Timing.every(settings.probeInterval()));
    }

    public void start() {
        settler.start();
        heartbeat.start();
        if (!handlers.types().isEmpty()) {
            claimer.start();
        }
        caretaker.start();
        scheduler.start();
        if (listener != null) {
            listener.start();
        }
        log.info(
                "Worker {} works the queues {} for {}",
                workerId(),
                settings.slots(),
                Counts.of(handlers.types().size(), "type"));
    }

    /**
     * Stops claiming, then the handlers, then settles what is left. No step waits for a call that hangs in the
     * database: what cannot be told in time is left to be rescued.
     */
    public void stop() throws InterruptedException {
        if (listener != null) {
            listener.close();
        }
        scheduler.close();
        caretaker.close();
        claimer.close();
        slots.stop(settings.shutdownGrace());
        settler.close(SETTLE_WAIT.toMillis());
        heartbeat.close();
        slots.close();
    }

    /** Jobs were published in these queues. */
    public void wake(Collection<String> queues) {
        claimer.wake(queues);
    }

    /** Leases for jobs that this node can take as they are published; {@code null} if it takes none. */
    public @Nullable DirectLeases offer(List<NewJob> jobs) {
        return settings.direct() ? directJobs.offer(jobs) : null;
    }

    /** The jobs of these leases are committed. */
    public void committed(DirectLeases leases) {
        claimer.committed(leases);
    }

    /** The jobs of these leases will not come, or nobody knows. */
    public void withdrawn(DirectLeases leases) {
        claimer.endPromise(leases);
    }

    /** Jobs were published that are due later. */
    public void wakeUpkeep() {
        caretaker.wake();
    }

    /** Schedules have changed. */
    public void wakeScheduler() {
        scheduler.wake();
    }

    public UUID workerId() {
        return identity.id();
    }

    public boolean isListening() {
        return listener != null && listener.state() == Listener.State.CONNECTED;
    }

    /** Whether wake-ups arrive; {@code null} if this node only polls. */
    public Listener.@Nullable State listenerState() {
        return listener == null ? null : listener.state();
    }

    public Duration sinceLastBeat() {
        return heartbeat.sinceLastBeat();
    }

    /** What this node knows of outages, by task. */
    public Map<String, Optional<Outage.Report>> outages() {
        Optional<Outage.Report> allHeld = settler.allHeld(
                slots.all().stream().mapToInt(QueueSlots::capacity).sum());
        return Map.of(
                "settle", allHeld.or(() -> settler.outage().report()),
                "settle-single", allHeld.isPresent() ? Optional.empty() : settler.held(),
                "claim", claimer.outage().report(),
                "beat", heartbeat.outage().report(),
                "upkeep", caretaker.outage().report(),
                "schedules", scheduler.outage().report(),
                "listen",
                        Optional.ofNullable(listener)
                                .flatMap(each -> each.outage().report()));
    }

    /** How many jobs this node has claimed and not settled. */
    public int jobsHeld() {
        return inFlight.size();
    }

    /** The threads of this node's own machinery. */
    public List<Loop> threads() {
        List<Loop> loops = new ArrayList<>(essential());
        loops.add(heartbeat.loop());
        loops.add(caretaker.loop());
        loops.add(scheduler.loop());
        if (listener != null) {
            loops.add(listener.loop());
        }
        return loops;
    }

    /** Those without which jobs that this node holds would be held for ever. */
    private List<Loop> essential() {
        return List.of(claimer.loop(), settler.loop());
    }

    /** The slots of this node by queue: how many, and how many are taken. */
    public Map<String, SlotUse> slotUse() {
        Map<String, SlotUse> use = new LinkedHashMap<>();
        for (QueueSlots each : slots.all()) {
            use.put(each.queue(), new SlotUse(each.capacity(), each.active()));
        }
        return use;
    }

    /** The slots of one queue. */
    public record SlotUse(int total, int used) {}

    /** The runs that ignore the interrupt of their timeout, by type. They have no slot any more. */
    public Map<String, Slots.DeafRuns> deafRuns() {
        return slots.deafRuns();
    }

    private NodeCalls.Registration describe(UUID workerId) {
        return new NodeCalls.Registration(
                workerId,
                HostName.VALUE,
                (int) ProcessHandle.current().pid(),
                settings.version(),
                settings.slots().keySet(),
                handlers.types());
    }

    /** What the heartbeat watches. */
    private final class Vitals implements Heartbeat.Watch {

        @Override
        public boolean isClaiming() {
            return claimer.isAway();
        }

        @Override
        public void gaveBack() {
            claimer.wakeAll();
        }

        @Override
        public @Nullable String trouble() {
            for (Loop loop : essential()) {
                String found = loop.trouble();
                if (found != null) {
                    return "thread '" + loop.name() + "' " + found;
                }
            }
            return null;
        }
    }

    private final class Afterwards implements Settler.Afterwards {

        @Override
        public void scheduled() {
            wakeUpkeep();
        }

        @Override
        public void freed(String queue) {
            claimer.wake(List.of(queue));
        }
    }
}
