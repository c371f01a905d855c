package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import tools.jackson.databind.json.JsonMapper;

/** Callers that share commits have nothing else to do with each other. */
class GroupCommitIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Schema SCHEMA = new Schema("queue");
    private static final TestDatabase database = CheckedQueue.create();

    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Thread> parked = new ArrayList<>();
    private Connection stranger;
    private GroupCommit groupCommit;
    private JobPublisher publisher;

    @BeforeEach
    void open() throws SQLException {
        DataSource pool = new InterruptiblePool(database.dataSource());
        groupCommit = groupCommit(pool);
        publisher = publisher(pool, groupCommit);
        stranger = database.connect();
        stranger.setAutoCommit(false);
    }

    private static GroupCommit groupCommit(DataSource pool) {
        PublishCalls publications = new PublishCalls(Sql.apart(pool, SCHEMA));
        return new GroupCommit(publications, new WakeUps(publications, new NoWorker(), false, QueueEvents.NONE));
    }

    private static JobPublisher publisher(DataSource pool, GroupCommit groupCommit) {
        return new QueuePublisher(
                new Application(
                        new Database(pool, SCHEMA),
                        new HandlerRegistry(),
                        new Json(JsonMapper.shared()),
                        Extensions.NONE),
                groupCommit,
                false);
    }

    @AfterEach
    void close() throws SQLException {
        stranger.close();
        threads.shutdown();
    }

    @Test
    void letNobodyWaitForTheUniqueKeyOfAnother() throws Exception {
        strangerRuns("SELECT queue.publish('mail', '{}', unique_key => 'held')");
        Future<List<UUID>> waiting = publish(job(UUID.randomUUID(), false, "held", null));
        awaitSessionsThatWaitForALock(1);

        assertThat(publish(plain()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        assertThat(waiting.isDone()).isFalse();
        stranger.rollback();
        assertThat(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void holdNoConnectionsWhileManyWaitForOneUniqueKey() throws Exception {
        DataSource pool = new SmallPool(database.dataSource(), 2);
        groupCommit = groupCommit(pool);
        publisher = publisher(pool, groupCommit);
        strangerRuns("SELECT queue.publish('mail', '{}', unique_key => 'held by many')");
        List<Future<List<UUID>>> waiting = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            waiting.add(publish(job(UUID.randomUUID(), false, "held by many", null)));
        }
        awaitSessionsThatWaitForALock(2);

        for (int i = 0; i < 5; i++) {
            assertThat(publish(plain()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .hasSize(1);
        }
        assertThat(waiting).noneMatch(Future::isDone);
        stranger.commit();
        for (Future<List<UUID>> each : waiting) {
            assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isEqualTo(waiting.get(0).get());
        }
    }

    @Test
    void endTheWaitForAUniqueKeyWhenTheCallerIsInterrupted() throws Exception {
        strangerRuns("SELECT queue.publish('mail', '{}', unique_key => 'held for long')");
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                groupCommit.publish(List.of(job(UUID.randomUUID(), false, "held for long", null)));
            } catch (RuntimeException ex) {
                failure.complete(ex);
            }
        });
        caller.start();
        awaitSessionsThatWaitForALock(1);
        // until it meets a pause: the driver does not heed interrupts
        await().atMost(PATIENCE).until(() -> {
            caller.interrupt();
            return failure.isDone();
        });
        assertThat(DatabaseErrors.isLocked(failure.get())).isTrue();
    }

    @Test
    void letNobodyWaitForAnIdThatAnotherPublishesToo() throws Exception {
        UUID id = UUID.randomUUID();
        strangerRuns("SELECT queue.publish('mail', '{}', id => '" + id + "')");
        Future<List<UUID>> waiting = publish(job(id, true, null, null));
        awaitSessionsThatWaitForALock(1);

        assertThat(publish(plain()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        assertThat(waiting.isDone()).isFalse();
        stranger.commit();
        assertThat(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).containsExactly(id);
    }

    @Test
    void failOnlyTheOneWhoseJobCannotBeSent() throws Exception {
        strangerRuns("LOCK TABLE queue.job");
        Future<List<UUID>> first = publish(plain());
        awaitSessionsThatWaitForALock(1);
        // these share the next trip
        Future<List<UUID>> bad = publishParked(job(UUID.randomUUID(), false, null, Duration.ofSeconds(Long.MAX_VALUE)));
        List<Future<List<UUID>>> innocent = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            innocent.add(publishParked(plain()));
        }
        stranger.rollback();

        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        for (Future<List<UUID>> each : innocent) {
            assertThat(stored(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).get(0)))
                    .isOne();
        }
        assertThatThrownBy(() -> bad.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(InvalidJobException.class);
    }

    @Test
    void nameTheArgumentThatIsNull() {
        assertThatThrownBy(() -> publisher.publish((Job) null)).hasMessage("job");
        assertThatThrownBy(() -> publisher.publishAll(null)).hasMessage("jobs");
        assertThatThrownBy(() -> publisher.publishAll(Collections.singletonList(null)))
                .hasMessage("job");
    }

    @Test
    void publishForACallerThatIsInterrupted() {
        Thread.currentThread().interrupt();
        UUID id = publisher.publish(Job.of("mail", null));
        assertThat(Thread.interrupted()).as("the interrupt is still there").isTrue();
        assertThat(stored(id)).isOne();
    }

    @Test
    void failNobodyBecauseTheCallerThatGoesIsInterrupted() throws Exception {
        strangerRuns("LOCK TABLE queue.job");
        Future<List<UUID>> first = publish(plain());
        awaitSessionsThatWaitForALock(1);
        // these share the next trip, and the first of them goes
        List<Future<List<UUID>>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(publishParked(plain()));
        }
        parked.get(0).interrupt();
        stranger.rollback();

        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        for (Future<List<UUID>> each : others) {
            assertThat(stored(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).get(0)))
                    .isOne();
        }
    }

    @Test
    void letACallWithManyJobsGoAlone() throws Exception {
        strangerRuns("LOCK TABLE queue.job");
        Future<List<UUID>> first = publish(plain());
        awaitSessionsThatWaitForALock(1);
        List<Job> jobs = Collections.nCopies(1_000, Job.of("mail", null));
        Future<List<UUID>> many = CompletableFuture.supplyAsync(() -> publisher.publishAll(jobs), threads);
        awaitSessionsThatWaitForALock(2);

        stranger.rollback();
        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        assertThat(many.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1_000);
    }

    @Test
    void letACallWithALargeJobGoAlone() throws Exception {
        strangerRuns("LOCK TABLE queue.job");
        Future<List<UUID>> first = publish(plain());
        awaitSessionsThatWaitForALock(1);
        Future<List<UUID>> large = publish(ofSize(900_000));
        awaitSessionsThatWaitForALock(2);

        stranger.rollback();
        assertThat(first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
        assertThat(large.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).hasSize(1);
    }

    @Test
    void shareNoMoreThanAMegabyte() throws Exception {
        strangerRuns("LOCK TABLE queue.job");
        Future<List<UUID>> first = publish(plain());
        awaitSessionsThatWaitForALock(1);
        List<Future<List<UUID>>> others = new ArrayList<>();
        for (int i = 0; i < 15; i++) {
            others.add(publishParked(ofSize(90_000)));
        }
        stranger.rollback();

        first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        List<UUID> ids = new ArrayList<>();
        for (Future<List<UUID>> each : others) {
            ids.addAll(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        }
        assertThat(jdbc.sql("SELECT count(*) FROM queue.job WHERE id = ANY (?) GROUP BY xmin::text")
                        .param(ids.toArray(UUID[]::new))
                        .query(Integer.class)
                        .list())
                .allMatch(shared -> shared <= 11)
                .anyMatch(shared -> shared > 1);
    }

    @Test
    void failNobodyWithTheErrorOfASharedTrip() throws Exception {
        AtomicBoolean full = new AtomicBoolean();
        groupCommit = groupCommit(new DelegatingDataSource(database.dataSource()) {
            @Override
            public Connection getConnection() throws SQLException {
                if (full.getAndSet(false)) {
                    throw new OutOfMemoryError("on purpose");
                }
                return super.getConnection();
            }
        });
        strangerRuns("LOCK TABLE queue.job");
        Future<List<UUID>> first = publish(plain());
        awaitSessionsThatWaitForALock(1);
        List<Future<List<UUID>>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(publishParked(plain()));
        }
        full.set(true);
        stranger.rollback();

        first.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        for (Future<List<UUID>> each : others) {
            assertThat(stored(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).get(0)))
                    .isOne();
        }
        assertThat(full).isFalse();
    }

    private static NewJob ofSize(int characters) {
        return NewJobs.of(UUID.randomUUID(), "mail", "{\"text\": \"" + "x".repeat(characters) + "\"}");
    }

    @Test
    void publishReadCommittedWhateverThePoolBeginsWith() throws Exception {
        PGSimpleDataSource serializable = (PGSimpleDataSource) database.dataSource();
        serializable.setOptions("-c default_transaction_isolation=serializable");
        JobPublisher others = publisher(serializable, groupCommit(serializable));
        UUID id = UUID.randomUUID();
        strangerRuns("SELECT queue.publish('mail', '{}', id => '" + id + "', unique_key => 'same')");
        Future<UUID> waiting = CompletableFuture.supplyAsync(
                () -> others.publish(Job.of("mail", null).uniqueKey("same")), threads);
        awaitSessionsThatWaitForALock(1);

        stranger.commit();
        assertThat(waiting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(id);
    }

    private Future<List<UUID>> publish(NewJob job) {
        return CompletableFuture.supplyAsync(() -> ids(groupCommit.publish(List.of(job))), threads);
    }

    /** Returns when the caller waits for the one that is on its way. */
    private Future<List<UUID>> publishParked(NewJob job) {
        CompletableFuture<List<UUID>> result = new CompletableFuture<>();
        Thread caller = new Thread(() -> {
            try {
                result.complete(ids(groupCommit.publish(List.of(job))));
            } catch (RuntimeException | Error ex) {
                result.completeExceptionally(ex);
            }
        });
        caller.start();
        parked.add(caller);
        await().atMost(PATIENCE).until(() -> parked.stream().allMatch(each -> each.getState() == Thread.State.WAITING));
        return result;
    }

    private static NewJob plain() {
        return NewJobs.of(UUID.randomUUID(), "mail", "{}");
    }

    private static List<UUID> ids(List<PublishResult> answers) {
        return answers.stream().map(PublishResult::id).toList();
    }

    private static NewJob job(UUID id, boolean isGiven, @Nullable String uniqueKey, @Nullable Duration delay) {
        return NewJobs.with(id, "mail", "{}")
                .givenId(isGiven)
                .delay(delay)
                .uniqueKey(uniqueKey)
                .build();
    }

    private void strangerRuns(String sql) throws SQLException {
        try (Statement statement = stranger.createStatement()) {
            statement.execute(sql);
        }
    }

    private void awaitSessionsThatWaitForALock(long count) {
        await().atMost(PATIENCE)
                .until(() -> jdbc.sql("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                                        + " AND wait_event_type = 'Lock'")
                                .query(Long.class)
                                .single()
                        == count);
    }

    private long stored(UUID id) {
        return jdbc.sql("SELECT count(*) FROM queue.live_job WHERE id = ?")
                .param(id)
                .query(Long.class)
                .single();
    }

    /** Refuses callers that are interrupted, as a pool does that has no connection at the moment. */
    private static final class InterruptiblePool extends DelegatingDataSource {

        InterruptiblePool(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            if (Thread.interrupted()) {
                throw new SQLException("interrupted while waiting for a connection");
            }
            return super.getConnection();
        }
    }

    /** Gives so many connections at a time; who wants more waits. */
    private static final class SmallPool extends DelegatingDataSource {

        private final Semaphore free;

        SmallPool(DataSource target, int size) {
            super(target);
            free = new Semaphore(size);
        }

        @Override
        public Connection getConnection() throws SQLException {
            free.acquireUninterruptibly();
            Connection connection = super.getConnection();
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (method.getName().equals("close")) {
                            free.release();
                        }
                        try {
                            return method.invoke(connection, arguments);
                        } catch (InvocationTargetException ex) {
                            throw ex.getCause();
                        }
                    });
        }
    }
}
