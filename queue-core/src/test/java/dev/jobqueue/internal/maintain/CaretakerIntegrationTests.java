package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.maintain.Caretaker.Timing;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

@ExtendWith(OutputCaptureExtension.class)
class CaretakerIntegrationTests {

    private static final Schema SCHEMA = new Schema("queue");
    private static final Duration HOUR = Duration.ofHours(1);

    private final TestDatabase database = CheckedQueue.create();
    private final JdbcClient client = JdbcClient.create(database.dataSource());

    @Test
    void prunesUntilNothingIsPastItsRetention() throws InterruptedException {
        Sql sql = Sql.apart(database.dataSource(), SCHEMA);
        new OperateCalls(sql).configureQueue("brief", HOUR, null, null);
        client.sql("INSERT INTO queue.job_history (id, queue, type, state, priority, run_at, payload,"
                        + " attempt, max_attempts,"
                        + " created_at, finished_at) SELECT gen_random_uuid(), 'brief', 'mail',"
                        + " 'COMPLETED', 0, at, '{}',"
                        + " 1, 3, at, at FROM (SELECT now() - interval '2 hours' + n * interval '1"
                        + " millisecond' AS at"
                        + " FROM generate_series(1, 60000) AS n) AS m")
                .update();
        Caretaker caretaker = caretaker(sql);
        caretaker.start();
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> client.sql("SELECT count(*) FROM queue.job_history")
                                    .query(Long.class)
                                    .single()
                            == 0);
        } finally {
            caretaker.close();
        }
    }

    @Test
    void callsTheDeathOfARescuedJobAnError(CapturedOutput output) throws InterruptedException {
        Sql sql = Sql.apart(database.dataSource(), SCHEMA);
        client.sql("SELECT queue.publish('mail', '{}'::jsonb, max_attempts => 1)")
                .query(UUID.class)
                .single();
        client.sql("SELECT id FROM queue.claim(gen_random_uuid())")
                .query(UUID.class)
                .single();
        letItsWorkerBeLate();
        Caretaker caretaker = caretaker(sql);
        caretaker.start();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> output.getOut().contains("was rescued and is DEAD"));
        } finally {
            caretaker.close();
        }
        assertThat(output.getOut().lines().filter(line -> line.contains("is DEAD")))
                .allMatch(line -> line.contains("ERROR"));
    }

    /** Nobody tells it of a node that registers later and has a shorter time to live. */
    @Test
    void looksForSilentNodesOftenWhateverItsOwnTimeToLive() {
        MaintainCalls calls = new MaintainCalls(Sql.apart(database.dataSource(), SCHEMA));
        assertThat(new Rescuer(calls, HOUR, () -> {}, QueueEvents.NONE).work())
                .isLessThanOrEqualTo(Duration.ofSeconds(21));
        Duration brief = Duration.ofSeconds(4);
        assertThat(new Rescuer(calls, brief, () -> {}, QueueEvents.NONE).work())
                .isBetween(brief, brief.plusMillis(200));
    }

    @Test
    void promotesWhileSomebodyHoldsTheHistoryLocked() throws Exception {
        CountDownLatch promoted = new CountDownLatch(1);
        Caretaker caretaker = caretaker(Sql.apart(database.dataSource(), SCHEMA), promoted::countDown);
        try (Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("LOCK TABLE queue.job_history");
            // not due before the first prune has met the lock
            client.sql("SELECT queue.publish('mail', '{}'::jsonb, run_at => now() + interval '2 seconds')")
                    .query(UUID.class)
                    .single();
            caretaker.start();
            assertThat(promoted.await(60, TimeUnit.SECONDS)).isTrue();
        } finally {
            caretaker.close();
        }
    }

    @Test
    void measuresLaterWhileSomebodyHoldsTheHistoryLocked() throws Exception {
        ThroughputMeter meter = new ThroughputMeter(MaintainCalls.ofNode(Sql.apart(database.dataSource(), SCHEMA)));
        try (Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("LOCK TABLE queue.job_history");
            assertThat(CompletableFuture.supplyAsync(meter::work).get(30, TimeUnit.SECONDS))
                    .isPositive();
        }
    }

    /** Scheduled jobs wait until the lock is gone, but dead nodes are found, and health is told. */
    @Test
    void rescuesWhileSomebodyHoldsTheScheduledJobsLocked(CapturedOutput output) throws Exception {
        client.sql("SELECT queue.publish('mail', '{}'::jsonb)")
                .query(UUID.class)
                .single();
        client.sql("SELECT id FROM queue.claim(gen_random_uuid())")
                .query(UUID.class)
                .single();
        letItsWorkerBeLate();
        Caretaker caretaker = caretaker(Sql.apart(database.dataSource(), SCHEMA));
        try (Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("LOCK TABLE queue.scheduled");
            caretaker.start();
            await().atMost(Duration.ofSeconds(60)).until(() -> output.getOut().contains("was rescued and is PENDING"));
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() -> assertThat(caretaker.outage().report().orElseThrow())
                            .asString()
                            .contains("Upkeep", "lock timeout"));
        } finally {
            caretaker.close();
        }
    }

    @Test
    void rescuesWhilePromotingFails(CapturedOutput output) throws InterruptedException {
        client.sql("SELECT queue.publish('mail', '{}'::jsonb)")
                .query(UUID.class)
                .single();
        client.sql("SELECT id FROM queue.claim(gen_random_uuid())")
                .query(UUID.class)
                .single();
        letItsWorkerBeLate();
        client.sql("DROP FUNCTION queue.promote").update();
        Caretaker caretaker = caretaker(Sql.apart(database.dataSource(), SCHEMA));
        caretaker.start();
        try {
            await().atMost(Duration.ofSeconds(60)).until(() -> output.getOut().contains("was rescued and is PENDING"));
        } finally {
            caretaker.close();
        }
    }

    private void letItsWorkerBeLate() {
        client.sql("UPDATE queue.worker SET beat_at = now() - interval '1 day'").update();
        client.sql("UPDATE queue.lease SET claimed_at = now() - interval '1 day'")
                .update();
    }

    private static Caretaker caretaker(Sql sql) {
        return caretaker(sql, () -> {});
    }

    private static Caretaker caretaker(Sql sql, Runnable onPending) {
        return new Caretaker(
                MaintainCalls.ofNode(sql),
                new Timing(HOUR, () -> HOUR, Duration.ZERO),
                onPending,
                QueueEvents.NONE,
                new UnhandledTypes(new FigureReader(sql), HOUR));
    }
}
