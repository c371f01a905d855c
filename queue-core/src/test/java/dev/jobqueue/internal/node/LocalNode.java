package dev.jobqueue.internal.node;

import static org.awaitility.Awaitility.await;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.HandlerFunction;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.NoWorker;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.publish.WakeUps;
import dev.jobqueue.internal.settle.FailureLog;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** A worker with one handler that polls, beats and probes once an hour: whatever happens sooner has another reason. */
public final class LocalNode implements AutoCloseable {

    private static final Schema SCHEMA = new Schema("queue");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final long MAX_BYTES = 8_000_000;

    private final Sql sql;
    private final Node worker;

    private LocalNode(Sql sql, Node worker) {
        this.sql = sql;
        this.worker = worker;
    }

    /**
     * Starts a worker.
     *
     * @param pool where it gets its connections
     * @param connections where its listener gets one; {@code null} for no listener
     */
    public static LocalNode start(
            TestDatabase database,
            DataSource pool,
            @Nullable ConnectionFactory connections,
            HandlerFunction<Void> handler) {
        return start(database, pool, connections, 1, handler);
    }

    public static LocalNode start(
            TestDatabase database,
            DataSource pool,
            @Nullable ConnectionFactory connections,
            int slots,
            HandlerFunction<Void> handler) {
        return start(database, worker(pool, connections, slots, handler), connections != null);
    }

    /**
     * Starts a worker with one slot.
     *
     * @param handler of type "only"
     */
    public static LocalNode start(TestDatabase database, HandlerDefinition handler, Extensions extensions) {
        return start(database, worker(database.dataSource(), database::connect, 1, handler, extensions), true);
    }

    private static LocalNode start(TestDatabase database, Node worker, boolean listens) {
        worker.start();
        awaiting().until(() -> !listens || worker.isListening());
        return new LocalNode(Sql.apart(database.dataSource(), SCHEMA), worker);
    }

    public static Node worker(
            DataSource pool, @Nullable ConnectionFactory connections, int slots, HandlerFunction<Void> handler) {
        HandlerDefinition definition = HandlerDefinition.of("only", Void.class, handler);
        return worker(pool, connections, slots, definition, Extensions.NONE);
    }

    private static Node worker(
            DataSource pool,
            @Nullable ConnectionFactory connections,
            int slots,
            HandlerDefinition handler,
            Extensions extensions) {
        HandlerRegistry handlers = new HandlerRegistry();
        handlers.register(handler, "the handler of the test");
        return new Node(
                new NodeSettings(
                        Map.of("default", slots),
                        true,
                        MAX_BYTES,
                        HOUR,
                        HOUR,
                        HOUR.multipliedBy(3),
                        Duration.ZERO,
                        HOUR,
                        FailureLog.Detail.LINE,
                        "1",
                        null),
                new Application(
                        new Database(pool, SCHEMA),
                        handlers,
                        new Json(JsonMapper.builder().build()),
                        extensions),
                new NodeResources(
                        new TransactionTemplate(new JdbcTransactionManager(pool)),
                        new NoPublisher(),
                        Thread::new,
                        connections),
                new WakeUps(new PublishCalls(Sql.apart(pool, SCHEMA)), new NoWorker(), false, QueueEvents.NONE));
    }

    public static ConditionFactory awaiting() {
        return await().atMost(Duration.ofSeconds(60));
    }

    /** Publishes a job for the handler and wakes the worker, as a publisher of the same application does. */
    public UUID publish() {
        UUID id = UUID.randomUUID();
        new PublishCalls(sql).publish(List.of(NewJobs.of(id, "only", "{}")), false);
        worker.localWorker().wake(Set.of("default"));
        return id;
    }

    /** The same as another application does, which notifies whoever listens at that moment. */
    public void publishElsewhere() {
        new PublishCalls(sql).publish(List.of(NewJobs.of(UUID.randomUUID(), "only", "{}")), true);
    }

    public OperateCalls operations() {
        return new OperateCalls(sql);
    }

    public Node worker() {
        return worker;
    }

    @Override
    public void close() {
        try {
            worker.stop();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private static final class NoPublisher implements JobPublisher {

        @Override
        public UUID publish(Job job) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<UUID> publishAll(Collection<Job> jobs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<PublishResult> publishAllWithOutcome(Collection<Job> jobs) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UUID publish(Batch batch) {
            throw new UnsupportedOperationException();
        }

        @Override
        public UUID publish(Flow flow) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<UUID> addToBatch(UUID batch, Collection<Job> members) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<UUID> addSteps(UUID flow, UnaryOperator<Flow> steps) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean signal(UUID flow, String name, @Nullable Object payload) {
            throw new UnsupportedOperationException();
        }
    }
}
