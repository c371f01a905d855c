package dev.jobqueue.internal.application;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.limit.LimitCalls;
import dev.jobqueue.internal.manual.ManualNode;
import dev.jobqueue.internal.migrate.FunctionRights;
import dev.jobqueue.internal.node.Node;
import dev.jobqueue.internal.node.NodeResources;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.node.NodeStatus.ThreadStatus;
import dev.jobqueue.internal.operate.AuditCalls;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.internal.operate.QueueAudit;
import dev.jobqueue.internal.operate.QueueOperations;
import dev.jobqueue.internal.publish.GroupCommit;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.publish.QueuePublisher;
import dev.jobqueue.internal.publish.WakeUps;
import dev.jobqueue.internal.schedule.QueueSchedules;
import dev.jobqueue.internal.schedule.ScheduleCalls;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.spi.ManualWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/**
 * The queue of one application: makes what publishes, schedules and operates, and has the node that works, if there is
 * one. The auto-configuration makes its beans from this and knows little else of the internals.
 */
public final class JobQueue {

    /** Calls take their time: shorter outages are not told. */
    private static final Duration WORTH_TELLING = Duration.ofSeconds(1);

    private final Application application;
    private final NodeHolder node = new NodeHolder();
    private final WakeUps wakeUps;

    /**
     * @param notifiesInTransaction whether publishing itself notifies other nodes, within the transaction
     */
    public JobQueue(Application application, boolean notifiesInTransaction) {
        this.application = application;
        this.wakeUps = new WakeUps(
                new PublishCalls(application.database().apart()),
                node,
                notifiesInTransaction,
                application.extensions().events());
    }

    /** Lets other nodes be notified of what is published here. */
    public void start() {
        wakeUps.start();
    }

    /** Waits for the notification that is on its way: the pool is closed next. */
    public void close() throws InterruptedException {
        wakeUps.close();
    }

    /**
     * The publisher of the application.
     *
     * @param requiresTransaction whether to refuse jobs that would not commit with a transaction of the caller
     */
    public JobPublisher publisher(boolean requiresTransaction) {
        GroupCommit groupCommit =
                new GroupCommit(new PublishCalls(application.database().apart()), wakeUps);
        return new QueuePublisher(application, groupCommit, requiresTransaction);
    }

    /**
     * The operations of the application.
     *
     * @param ttl how long a node may be silent and still live, if it did not say
     * @param countLimit where counting the jobs of a queue stops
     */
    public QueueOperations operations(Duration ttl, int countLimit) {
        return new QueueOperations(
                application.database().joining(),
                application.json(),
                application.extensions().events(),
                ttl,
                countLimit);
    }

    /**
     * What people did. With transactions of its own: what is done and what is recorded of it are in the queue's
     * database alone.
     */
    public JobAudit audit() {
        Database database = application.database();
        return new QueueAudit(new AuditCalls(database.joining()), new ReadCommittedTransactions(database.dataSource()));
    }

    /** The schedules of the application. */
    public QueueSchedules schedules() {
        return new QueueSchedules(
                new ScheduleCalls(application.database().joining()),
                application.handlers(),
                application.json(),
                () -> node.ifRunning(Node::wakeScheduler),
                () -> node.ifRunning(Node::wakeAll));
    }

    /** What the role of this application may call. */
    public FunctionRights rights() {
        return new FunctionRights(application.database());
    }

    /** The handlers of the application. */
    public HandlerRegistry handlers() {
        return application.handlers();
    }

    /** How payloads and results of this application are written and read. */
    public Json json() {
        return application.json();
    }

    /** The calls that store settings, under the name of their owner. */
    public OperateCalls settings(String owner) {
        return new OperateCalls(application.database().joining(), owner);
    }

    /** The calls that store limits, under the name of their owner. */
    public LimitCalls limits(String owner) {
        return new LimitCalls(application.database().joining(), application.json(), owner);
    }

    /** The figures of queues, nodes and the database, read apart from the caller's transaction. */
    public FigureReader figures() {
        return new FigureReader(application.database().apart());
    }

    /** Starts the node. */
    public void startNode(NodeSettings settings, NodeResources resources) {
        node.start(new Node(settings, application, resources, wakeUps));
    }

    /** Stops the node, if it runs; waits for the jobs that run. */
    public void stopNode() throws InterruptedException {
        node.stop();
    }

    public boolean hasNode() {
        return node.running() != null;
    }

    /**
     * A worker that is driven by hand.
     *
     * @param transactions in which handlers run and schedules fire
     * @param publisher publishes what handlers publish
     */
    public ManualWorker manualWorker(
            NodeSettings settings, TransactionOperations transactions, JobPublisher publisher) {
        HandlingSetup.Resources resources = new HandlingSetup.Resources(transactions, publisher, Thread::new);
        return new ManualNode(settings, application, resources, transactions);
    }

    /** How this node is at the moment. */
    public NodeStatus status() {
        Node running = node.running();
        List<ThreadStatus> threads = new ArrayList<>(List.of(ThreadStatus.of(wakeUps.loop())));
        if (running != null) {
            running.threads().forEach(loop -> threads.add(ThreadStatus.of(loop)));
        }
        return new NodeStatus(running == null ? null : running.status(), threads, outages(running));
    }

    private Map<String, Outage.Report> outages(@Nullable Node running) {
        Map<String, Optional<Outage.Report>> all = new HashMap<>(running == null ? Map.of() : running.outages());
        all.put("wake-up", wakeUps.outage().report());
        Map<String, Outage.Report> reports = new TreeMap<>();
        all.forEach((task, known) -> known.filter(report -> report.lasts().compareTo(WORTH_TELLING) >= 0)
                .ifPresent(report -> reports.put(task, report)));
        return reports;
    }
}
