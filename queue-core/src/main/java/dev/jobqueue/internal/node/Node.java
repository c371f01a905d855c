package dev.jobqueue.internal.node;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.flow.ResolveCalls;
import dev.jobqueue.internal.flow.Resolver;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.maintain.Caretaker;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.maintain.UnhandledTypes;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.publish.LocalWorker;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.publish.WakeUps;
import dev.jobqueue.internal.schedule.ScheduleCalls;
import dev.jobqueue.internal.schedule.Scheduler;
import java.time.Duration;
import java.util.ArrayList;
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

    /** How many times rarer it polls for what is due later: scheduled jobs, and schedules. */
    private static final int RARER_FOR_LATER = 12;

    /** How long a look at what nobody handles may take: what else is due waits for it. */
    private static final Duration LOOK_WAIT = Duration.ofSeconds(30);

    private final NodeSettings settings;
    private final Application application;
    private final WorkerIdentity identity = new WorkerIdentity();
    private final JobPipeline pipeline;
    private final Heartbeat heartbeat;
    private final Caretaker caretaker;
    private final Scheduler scheduler;
    private final Resolver resolver;
    private final @Nullable Listener listener;

    /**
     * @param others tells other nodes of jobs
     */
    public Node(NodeSettings settings, Application application, NodeResources resources, WakeUps others) {
        this.settings = settings;
        this.application = application;
        this.pipeline = new JobPipeline(
                settings,
                settings.handling(application, resources.handlers(), identity::id),
                identity,
                () -> safetyInterval(RARER_FOR_JOBS),
                new Wakers());
        Sql apart = application.database().apart();
        this.heartbeat = heartbeat(apart);
        this.caretaker = caretaker(apart);
        this.scheduler = scheduler(application.database());
        this.resolver = new Resolver(
                new FreedSteps(new ResolveCalls(apart), pipeline, others),
                () -> safetyInterval(RARER_FOR_JOBS),
                events());
        ConnectionFactory connections = resources.connections();
        this.listener = connections == null ? null : listener(connections, new PublishCalls(apart));
    }

    private Heartbeat heartbeat(Sql apart) {
        return new Heartbeat(
                new NodeCalls(apart, settings.ttl()),
                pipeline.inFlight(),
                identity,
                new Heartbeat.Timing(settings.heartbeatInterval(), this::isListening),
                new Vitals(settings, application, pipeline));
    }

    private Caretaker caretaker(Sql apart) {
        return new Caretaker(
                MaintainCalls.ofNode(apart),
                new Caretaker.Timing(settings.ttl(), () -> safetyInterval(RARER_FOR_LATER)),
                pipeline.claimer()::wakeAll,
                events(),
                new UnhandledTypes(new FigureReader(apart).within(LOOK_WAIT), settings.ttl()));
    }

    private Scheduler scheduler(Database database) {
        return new Scheduler(
                new ScheduleCalls(database.joining(), settings.application()),
                new ReadCommittedTransactions(database.dataSource()),
                () -> safetyInterval(RARER_FOR_LATER),
                pipeline.claimer()::wake,
                events());
    }

    /** The probe is sent by another thread: this one would hear nothing while it waits for a connection of the pool. */
    private Listener listener(ConnectionFactory connections, PublishCalls calls) {
        return new Listener(
                connections,
                application.database().schema(),
                probe -> CompletableFuture.runAsync(
                        () -> calls.wake(Set.of(probe)),
                        task -> Threads.daemon("queue-probe").newThread(task).start()),
                new Notices(heartbeat, pipeline.claimer(), caretaker, scheduler, resolver),
                Listener.Timing.every(settings.probeInterval()));
    }

    private QueueEvents events() {
        return application.extensions().events();
    }

    /** How often to look for what notifications tell of: rarely, as long as they arrive. */
    private Duration safetyInterval(int rarer) {
        return isListening() ? settings.pollInterval().multipliedBy(rarer) : settings.pollInterval();
    }

    public void start() {
        pipeline.startSettling();
        heartbeat.start();
        pipeline.startClaiming();
        caretaker.start();
        scheduler.start();
        resolver.start();
        if (listener != null) {
            listener.start();
        }
        log.info(
                "Worker {} works the queues {} for {}",
                workerId(),
                settings.slots(),
                Counts.of(application.handlers().types().size(), "type"));
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
        pipeline.stop(settings.shutdownGrace());
        resolver.close();
        heartbeat.close();
        pipeline.close();
    }

    /** This node as the publishers of this JVM see it. */
    public LocalWorker localWorker() {
        return pipeline;
    }

    /** Jobs may wait in any queue of this node. */
    public void wakeAll() {
        pipeline.claimer().wakeAll();
    }

    /** Schedules have changed. */
    public void wakeScheduler() {
        scheduler.wake();
    }

    public UUID workerId() {
        return identity.id();
    }

    public boolean isListening() {
        return listener != null && listener.state() == NodeStatus.ListenerState.CONNECTED;
    }

    /** How many jobs this node has claimed and not settled. */
    public int jobsHeld() {
        return pipeline.inFlight().size();
    }

    /** How the worker is at the moment. */
    public NodeStatus.Worker status() {
        return new NodeStatus.Worker(
                workerId(),
                heartbeat.sinceLastBeat(),
                pipeline.slotUse(),
                listener == null ? null : listener.state(),
                pipeline.deafRuns());
    }

    /** What this node knows of outages, by task. */
    public Map<String, Optional<Outage.Report>> outages() {
        Map<String, Optional<Outage.Report>> outages = new LinkedHashMap<>(pipeline.outages());
        outages.put("beat", heartbeat.outage().report());
        outages.put("upkeep", caretaker.outage().report());
        outages.put("schedules", scheduler.outage().report());
        outages.put("flows", resolver.outage().report());
        outages.put(
                "listen",
                Optional.ofNullable(listener).flatMap(each -> each.outage().report()));
        return outages;
    }

    /** The threads of this node's own machinery. */
    public List<Loop> threads() {
        List<Loop> loops = new ArrayList<>(pipeline.threads());
        loops.add(heartbeat.loop());
        loops.add(caretaker.loop());
        loops.add(scheduler.loop());
        loops.add(resolver.loop());
        if (listener != null) {
            loops.add(listener.loop());
        }
        return loops;
    }

    /** Wakes the parts of this node that have something to do for jobs. */
    private final class Wakers implements JobPipeline.Bells {

        @Override
        public void scheduled() {
            caretaker.wake();
        }

        @Override
        public void flowsChanged() {
            resolver.wake();
        }
    }
}
