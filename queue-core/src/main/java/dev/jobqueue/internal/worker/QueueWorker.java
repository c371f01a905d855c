package dev.jobqueue.internal.worker;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.HandlerRegistry;
import dev.jobqueue.internal.Instrumentation;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.ClaimedJob;
import dev.jobqueue.internal.store.DirectLeases;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.NewJob;
import dev.jobqueue.internal.store.Observations;
import dev.jobqueue.internal.store.Publications;
import dev.jobqueue.internal.store.Schedules;
import dev.jobqueue.internal.store.Sql;
import dev.jobqueue.internal.store.Upkeep;
import dev.jobqueue.internal.store.Workers;
import dev.jobqueue.internal.store.Workers.Node;
import dev.jobqueue.internal.upkeep.Caretaker;
import dev.jobqueue.internal.upkeep.Caretaker.Timing;
import dev.jobqueue.internal.upkeep.Scheduler;
import dev.jobqueue.internal.upkeep.UnhandledTypes;
import dev.jobqueue.internal.worker.RunningJob.Stop;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node at work: starts the parts, hands jobs from one to the next, and stops them without losing a job. */
public final class QueueWorker {

    private static final Logger log = LoggerFactory.getLogger(QueueWorker.class);

    /** How many times rarer this node polls for jobs while notifications arrive. */
    private static final int RARER_FOR_JOBS = 3;

    /** The same for what is due later: scheduled jobs, schedules. */
    private static final int RARER_FOR_LATER = 12;

    private static final Duration INTERRUPT_WAIT = Duration.ofSeconds(2);
    private static final Duration SETTLE_WAIT = Duration.ofSeconds(4);
    private static final Duration MEMORY_PAUSE = Duration.ofMillis(100);

    private final WorkerSettings settings;
    private final HandlerRegistry handlers;
    private final JobsInFlight inFlight = new JobsInFlight();
    private final Map<String, QueueSlots> slots = new LinkedHashMap<>();
    private final ExecutorService executor;
    private final JobTools tools;
    private final Settler settler;
    private final Timeouts timeouts;
    private final ReportSender reports;
    private final Heartbeat heartbeat;
    private final Claimer claimer;
    private final DirectJobs directJobs;
    private final Caretaker caretaker;
    private final Scheduler scheduler;
    private final @Nullable Listener listener;

    public QueueWorker(
            WorkerSettings settings,
            HandlerRegistry handlers,
            WorkerResources resources,
            QueueEvents events,
            Instrumentation instrumentation) {
        this.settings = settings;
        this.handlers = handlers;
        Sql apart = Sql.apart(resources.dataSource(), settings.schema());
        Sql joining = Sql.joining(resources.dataSource(), settings.schema());
        JobStore store = new JobStore(apart);
        this.settler = new Settler(
                apart, inFlight, events, new FailureLog(settings.failureLog(), System::nanoTime), this::wakeUpkeep);
        this.timeouts = new Timeouts(this::timedOut);
        this.reports = new ReportSender(new ReadCommittedTransactions(resources.dataSource()), new JobStore(joining));
        this.tools = new JobTools(store, resources.json(), resources.publisher(), timeouts, reports);
        JobRunner runner = new JobRunner(
                handlers,
                resources.json(),
                new JobStore(joining),
                resources.transactions(),
                instrumentation,
                this::settle);
        this.executor = Executors.newCachedThreadPool(resources.threads());
        this.heartbeat = new Heartbeat(
                new Workers(apart, settings.ttl()),
                this::describe,
                inFlight,
                settings.heartbeatInterval(),
                this::isListening,
                this::isClaiming,
                this::wakeClaimer,
                this::trouble);
        this.claimer = new Claimer(
                claims(store),
                slots,
                this::dispatch,
                settler,
                heartbeat::hurry,
                () -> safetyInterval(RARER_FOR_JOBS),
                events);
        this.directJobs = new DirectJobs(slots, claimer, type -> handlers.find(type) != null, heartbeat::workerId);
        settings.slots()
                .forEach((queue, capacity) -> slots.put(
                        queue, new QueueSlots(queue, capacity, settings.maxClaimBytes(), executor, host(runner))));
        this.caretaker = new Caretaker(
                new Upkeep(apart),
                new Timing(settings.ttl(), () -> safetyInterval(RARER_FOR_LATER)),
                claimer::wakeAll,
                events,
                new UnhandledTypes(new Observations(apart), settings.ttl()));
        this.scheduler = new Scheduler(
                new Schedules(joining, settings.application()),
                new ReadCommittedTransactions(resources.dataSource()),
                () -> safetyInterval(RARER_FOR_LATER),
                claimer::wake,
                events);
        ConnectionFactory connections = resources.connections();
        this.listener = connections == null ? null : listener(connections, new Publications(apart));
    }

    private QueueSlots.Host host(JobRunner runner) {
        return new QueueSlots.Host() {
            @Override
            public boolean handle(RunningJob job) {
                return runner.run(job);
            }

            @Override
            public void freed(String queue) {
                claimer.slotFreed(queue);
            }

            @Override
            public void giveBack(RunningJob job) {
                release(job);
            }

            @Override
            public void later(Runnable look) {
                timeouts.guard(look);
            }
        };
    }

    /** How often to look for what notifications tell of: rarely, as long as they arrive. */
    private Duration safetyInterval(int rarer) {
        return isListening() ? settings.pollInterval().multipliedBy(rarer) : settings.pollInterval();
    }

    /** The probe is sent by another thread: this one would hear nothing while it waits for a connection of the pool. */
    private Listener listener(ConnectionFactory connections, Publications publications) {
        Notices notices = new Notices(heartbeat, claimer, caretaker, scheduler);
        return new Listener(
                connections,
                settings.schema(),
                probe -> CompletableFuture.runAsync(
                        () -> publications.wake(Set.of(probe)),
                        task -> Threads.daemon("queue-probe").newThread(task).start()),
                notices::heard,
                notices::missedSome,
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
                heartbeat.workerId(),
                settings.slots(),
                Counts.of(handlers.types().size(), "type"));
    }

    /**
     * Stops claiming, gives back what has not begun, lets the rest finish within the grace period, then interrupts it and
     * gives it back too. No attempt counts as failed because of this. No step waits for a call that hangs in the database:
     * what cannot be told in time is left to be rescued.
     */
    public void stop() throws InterruptedException {
        long deadline = System.nanoTime() + settings.shutdownGrace().toNanos();
        if (listener != null) {
            listener.close();
        }
        scheduler.close();
        caretaker.close();
        claimer.close();
        slots.values().stream().flatMap(each -> each.drain().stream()).forEach(this::release);
        if (!isIdle()) {
            log.info(
                    "Waiting for {} to finish, up to {}",
                    Counts.of(busy(), "running job"),
                    Spans.text(settings.shutdownGrace()));
            awaitIdle(deadline);
        }
        if (!isIdle()) {
            log.info(
                    "Stopping {} that did not finish within {}: {}",
                    Counts.of(busy(), "job"),
                    Spans.text(settings.shutdownGrace()),
                    inFlight.describeRunning());
            inFlight.stopAll(Stop.SHUTDOWN);
            awaitIdle(System.nanoTime() + INTERRUPT_WAIT.toNanos());
            inFlight.all().forEach(this::release);
        }
        timeouts.close();
        reports.close();
        settler.close(SETTLE_WAIT.toMillis());
        heartbeat.close();
        executor.shutdownNow();
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
        return heartbeat.workerId();
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
    Map<String, Optional<Outage.Report>> outages() {
        return Map.of(
                "settle", settler.outage().report(),
                "settle-single", settler.held(),
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

    private @Nullable String trouble() {
        for (Loop loop : essential()) {
            String found = loop.trouble();
            if (found != null) {
                return "thread '" + loop.name() + "' " + found;
            }
        }
        return null;
    }

    /** The slots of this node by queue: how many, and how many are taken. */
    public Map<String, SlotUse> slotUse() {
        Map<String, SlotUse> use = new LinkedHashMap<>();
        slots.forEach((queue, each) -> use.put(queue, new SlotUse(each.capacity(), each.active())));
        return use;
    }

    /** The slots of one queue. */
    public record SlotUse(int total, int used) {}

    /** The runs that ignore the interrupt of their timeout, by type. They have no slot any more. */
    public Map<String, DeafRuns> deafRuns() {
        Map<String, DeafRuns> runs = new LinkedHashMap<>();
        for (String type : timeouts.deaf()) {
            HandlerDefinition handler = Objects.requireNonNull(handlers.find(type));
            runs.merge(type, new DeafRuns(1, handler.transactional()), DeafRuns::plus);
        }
        return runs;
    }

    /** The deaf runs of one type, and whether each keeps a transaction. */
    public record DeafRuns(int count, boolean transactional) {

        DeafRuns plus(DeafRuns others) {
            return new DeafRuns(count + others.count, transactional);
        }
    }

    private Claimer.ClaimSource claims(JobStore store) {
        return new Claimer.ClaimSource() {
            @Override
            public List<ClaimedJob> claim(Map<String, Integer> limits) {
                return answered(
                        () -> store.claim(heartbeat.workerId(), limits, handlers.types(), settings.maxClaimBytes()));
            }

            @Override
            public List<ClaimedJob> confirm(List<Long> leases) {
                return answered(() -> store.confirm(heartbeat.workerId(), leases));
            }
        };
    }

    private List<ClaimedJob> answered(Supplier<List<ClaimedJob>> claim) {
        try {
            return claim.get();
        } catch (LeaseLostException ex) {
            throw ex;
        } catch (RuntimeException | Error ex) {
            heartbeat.claimUnanswered();
            throw ex;
        }
    }

    private boolean isClaiming() {
        return claimer.isAway();
    }

    private void wakeClaimer() {
        claimer.wakeAll();
    }

    private void dispatch(List<ClaimedJob> jobs) {
        Map<String, List<RunningJob>> byQueue = new LinkedHashMap<>();
        try {
            for (ClaimedJob claimed : jobs) {
                byQueue.computeIfAbsent(claimed.queue(), queue -> new ArrayList<>())
                        .add(new RunningJob(claimed, handlerOf(claimed).transactional(), tools));
            }
            byQueue.values().forEach(some -> some.forEach(this::hold));
            byQueue.forEach(
                    (queue, some) -> Objects.requireNonNull(slots.get(queue)).accept(some));
        } catch (RuntimeException | Error ex) {
            byQueue.values().forEach(some -> some.forEach(this::disown));
            heartbeat.claimUnanswered();
            throw ex;
        }
    }

    private HandlerDefinition handlerOf(ClaimedJob claimed) {
        return Objects.requireNonNull(handlers.find(claimed.type()));
    }

    private void hold(RunningJob job) {
        inFlight.add(job);
        Long timeout = job.claimed().timeoutMillis();
        Duration limit = timeout != null
                ? Duration.ofMillis(timeout)
                : handlerOf(job.claimed()).timeout();
        if (limit != null) {
            timeouts.watch(job, limit);
        }
    }

    /** The heartbeat gives back what runs nowhere on this node. */
    private void disown(RunningJob job) {
        if (job.stopUnlessBegun(Stop.LOST)) {
            inFlight.remove(job);
        }
    }

    private void timedOut(RunningJob job) {
        if (job.hasBegun()) {
            settle(new Outcome.Threw(job, "The attempt timed out on worker " + workerId(), true));
            Objects.requireNonNull(slots.get(job.queue())).abandon(job);
        } else {
            // its time ran out in the buffer, which is not the fault of its handler
            settle(new Outcome.Released(job));
        }
    }

    private void release(RunningJob job) {
        if (job.end()) {
            settle(new Outcome.Released(job));
        }
    }

    /** However full the heap is: a run that nobody settles would leave its job running for ever. */
    private void settle(Outcome outcome) {
        boolean told = false;
        while (!told) {
            try {
                settler.accept(outcome);
                told = true;
            } catch (OutOfMemoryError ex) {
                LockSupport.parkNanos(MEMORY_PAUSE.toNanos());
            }
        }
    }

    private Node describe(UUID workerId) {
        return new Node(
                workerId,
                HostName.VALUE,
                (int) ProcessHandle.current().pid(),
                settings.version(),
                settings.slots().keySet(),
                handlers.types());
    }

    private int busy() {
        return slots.values().stream().mapToInt(QueueSlots::active).sum();
    }

    private boolean isIdle() {
        return busy() == 0;
    }

    private void awaitIdle(long deadline) throws InterruptedException {
        while (!isIdle() && deadline - System.nanoTime() > 0) {
            Thread.sleep(10);
        }
    }
}
