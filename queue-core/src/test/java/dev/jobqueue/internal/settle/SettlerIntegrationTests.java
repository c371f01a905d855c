package dev.jobqueue.internal.settle;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobqueue.JobContext;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.node.LocalNode;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One job that cannot be settled, and the others of its node. */
@Timeout(120)
class SettlerIntegrationTests {

    private static final TestDatabase database = CheckedQueue.create();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger runs = new AtomicInteger();
    private LocalNode node;

    @BeforeAll
    static void prepare() {
        jdbc.sql("""
                        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
                        AS $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = TG_ARGV[0]; END $$
                        """).update();
    }

    /** The first run does what the test wants; the others return at once. */
    private void start(LocalHandler first) {
        node = LocalNode.start(
                database,
                database.dataSource(),
                database::connect,
                (payload, job) -> runs.incrementAndGet() == 1 ? first.handle(job) : null);
    }

    @BeforeEach
    void empty() {
        jdbc.sql("TRUNCATE queue.job, queue.ready, queue.scheduled, queue.lease")
                .update();
    }

    @AfterEach
    void stop() {
        go.countDown();
        jdbc.sql("DROP TRIGGER IF EXISTS refuse ON queue.job").update();
        jdbc.sql("DROP TRIGGER IF EXISTS refuse ON queue.job_history").update();
        jdbc.sql("DROP TRIGGER IF EXISTS refuse ON queue.ready").update();
        node.close();
    }

    @Test
    void refusesAnAbsurdSnoozeWhereTheHandlerAsksForIt() {
        start(job -> {
            job.snooze(ChronoUnit.FOREVER.getDuration());
            return null;
        });
        UUID absurd = node.publish();
        awaiting().until(() -> "SCHEDULED".equals(state(absurd)));
        UUID next = node.publish();
        awaiting().until(() -> "COMPLETED".equals(state(next)));
        assertThat(error(absurd)).contains("delay is 'PT", "must be at least 0 and at most 10 years");
    }

    @ParameterizedTest
    @ValueSource(strings = {"P0001", "54000"})
    void countsAnOutcomeThatTheDatabaseDoesNotTakeAsAFailureOfItsJob(String code) {
        start(job -> waitAndReturn());
        UUID refused = node.publish();
        awaiting().until(() -> runs.get() == 1);
        refuse("job_history", "INSERT", "NEW", refused, code);
        go.countDown();
        UUID next = node.publish();
        awaiting().until(() -> "COMPLETED".equals(state(next)));
        awaiting().until(() -> "SCHEDULED".equals(state(refused)));
        assertThat(error(refused)).contains("The outcome was refused", "not this one");
    }

    /** Whatever is wrong with the call, the job is not to blame: its node stops. */
    @Test
    void failsNoJobThatTheDatabaseDoesNotTakeBackWhenTheNodeStops() {
        start(job -> waitAndReturn());
        UUID refused = node.publish();
        awaiting().until(() -> runs.get() == 1);
        refuse("ready", "INSERT", "NEW", refused, "22003");
        node.close();
        assertThat(state(refused)).isEqualTo("RUNNING");
    }

    @Test
    void goesOnWithoutAJobThatCannotBeSettledInAnyWay() {
        start(job -> waitAndReturn());
        UUID poison = node.publish();
        awaiting().until(() -> runs.get() == 1);
        refuse("job", "UPDATE OR DELETE", "OLD", poison, "P0001");
        go.countDown();
        UUID next = node.publish();
        awaiting().until(() -> "COMPLETED".equals(state(next)));
        awaiting().until(() -> node.worker().jobsHeld() == 0);
        assertThat(state(poison)).isEqualTo("RUNNING");
    }

    @Test
    void leavesALineInTheLogOfAnAttemptThatThrew() {
        Logger logger = (Logger) LoggerFactory.getLogger("dev.jobqueue.failures");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            start(job -> {
                throw new IllegalStateException("no mail today");
            });
            UUID id = node.publish();
            awaiting().until(() -> "SCHEDULED".equals(state(id)));
            awaiting().until(() -> !lines.list.isEmpty());
            assertThat(lines.list.get(0).getFormattedMessage())
                    .startsWith("Attempt 1 of 3 of job %s ('only') threw, next try at 20".formatted(id))
                    .endsWith("java.lang.IllegalStateException: no mail today");
        } finally {
            logger.detachAppender(lines);
        }
    }

    @Test
    void settlesTheOthersWhileSomebodyHoldsARowLocked() throws SQLException {
        start(job -> waitAndReturn());
        UUID locked = node.publish();
        awaiting().until(() -> runs.get() == 1);
        try (Connection stranger = cancelAndStay(locked)) {
            go.countDown();
            for (int i = 0; i < 3; i++) {
                UUID next = node.publish();
                awaiting().until(() -> "COMPLETED".equals(state(next)));
            }
            assertThat(state(locked)).isEqualTo("RUNNING");
            assertThat(node.worker().outages().get("settle-single"))
                    .hasValueSatisfying(
                            report -> assertThat(report.error()).contains("1 run to settle", "lock timeout"));
            stranger.rollback();
        }
        awaiting().until(() -> "COMPLETED".equals(state(locked)));
        awaiting().until(() -> node.worker().outages().get("settle-single").isEmpty());
        assertThat(runs).hasValue(4);
    }

    /** One locked row is a matter of its job; as many as there are slots are one of the node. */
    @Test
    void tellsOfAnOutageWhenSomebodyHoldsAllRunsLocked() throws SQLException {
        CountDownLatch both = new CountDownLatch(1);
        node = LocalNode.start(database, database.dataSource(), database::connect, (payload, job) -> {
            runs.incrementAndGet();
            both.await();
            return null;
        });
        int slots = node.worker().status().slots().values().stream()
                .mapToInt(NodeStatus.SlotUse::total)
                .sum();
        List<UUID> locked = new ArrayList<>();
        for (int i = 0; i < slots; i++) {
            locked.add(node.publish());
        }
        awaiting().until(() -> runs.get() == slots);
        try (Connection stranger = cancelAndStay(locked.get(0));
                Statement statement = stranger.createStatement()) {
            for (UUID each : locked) {
                statement.execute("SELECT FROM queue.job WHERE id = '%s' FOR UPDATE".formatted(each));
            }
            both.countDown();
            awaiting()
                    .untilAsserted(() -> assertThat(node.worker().outages().get("settle"))
                            .hasValueSatisfying(
                                    report -> assertThat(report.error()).startsWith(slots + " run")));
            assertThat(node.worker().outages().get("settle-single")).isEmpty();
            stranger.rollback();
        }
        awaiting().until(() -> locked.stream().allMatch(each -> "COMPLETED".equals(state(each))));
        awaiting().until(() -> node.worker().outages().get("settle").isEmpty());
    }

    @Test
    void doesNotHoldUpTheShutdownWhileSomebodyHoldsARowLocked() throws SQLException {
        start(job -> waitAndReturn());
        UUID locked = node.publish();
        awaiting().until(() -> runs.get() == 1);
        try (Connection stranger = cancelAndStay(locked)) {
            go.countDown();
            UUID next = node.publish();
            awaiting().until(() -> "COMPLETED".equals(state(next)));
            long began = System.nanoTime();
            node.close();
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
            stranger.rollback();
        }
    }

    /** What an operator does who forgets to commit. */
    private static Connection cancelAndStay(UUID id) throws SQLException {
        Connection stranger = database.connect();
        stranger.setAutoCommit(false);
        try (Statement statement = stranger.createStatement()) {
            statement.execute("SELECT queue.cancel('%s')".formatted(id));
        }
        return stranger;
    }

    private @Nullable Object waitAndReturn() throws InterruptedException {
        go.await();
        return null;
    }

    private static String state(UUID id) {
        return jdbc.sql("SELECT coalesce((SELECT state FROM queue.live_job WHERE id = :id),"
                        + " (SELECT state FROM queue.job_history WHERE id = :id), 'none')")
                .param("id", id)
                .query(String.class)
                .single();
    }

    private static String error(UUID id) {
        return jdbc.sql("SELECT errors ->> -1 FROM queue.live_job WHERE id = ?")
                .param(id)
                .query(String.class)
                .single();
    }

    /** Handles the first job. */
    private interface LocalHandler {
        @Nullable
        Object handle(JobContext job) throws Exception;
    }

    /** Refuses what is done with the row of one job, with this SQLSTATE. */
    private static void refuse(String table, String event, String row, UUID id, String code) {
        jdbc.sql("""
                        CREATE TRIGGER refuse BEFORE %s ON queue.%s FOR EACH ROW
                        WHEN (%s.id = '%s') EXECUTE FUNCTION public.refuse('%s')
                        """.formatted(event, table, row, id, code)).update();
    }
}
