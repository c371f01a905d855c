package dev.jobqueue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.RateLimitedException;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A node that polls once an hour: whatever starts, starts because somebody told it. */
class LimitedJobsIntegrationTests {

    private static final TestDatabase database = CheckedQueue.create();

    @BeforeAll
    static void prepare() throws SQLException {
        execute("SELECT queue.set_limit('one', running => 1), queue.set_limit('paced', rate => 100, burst => 1)");
    }

    private static void execute(String sql) throws SQLException {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void publish(LocalNode node, int jobs, String limits) throws SQLException {
        execute("SELECT queue.publish('only', '{}', limits => '%s') FROM generate_series(1, %d)"
                .formatted(limits, jobs));
        node.worker().localWorker().wake(Set.of("default"));
    }

    /** Without a listener nobody hears of turns but through the node itself. */
    @Test
    void startOneAfterTheOtherWithoutAListener() throws SQLException {
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        try (LocalNode node = LocalNode.start(database, database.dataSource(), null, 4, (payload, job) -> {
            most.accumulateAndGet(running.incrementAndGet(), Math::max);
            running.decrementAndGet();
            done.incrementAndGet();
            return null;
        })) {
            publish(node, 30, "{\"one\": \"a\"}");
            LocalNode.awaiting().until(() -> done.get() == 30);
        }
        assertThat(most).hasValue(1);
    }

    @Test
    void startWhenTheirRateAllows() throws SQLException {
        AtomicInteger done = new AtomicInteger();
        try (LocalNode node = LocalNode.start(database, database.dataSource(), null, 4, (payload, job) -> {
            done.incrementAndGet();
            return null;
        })) {
            long began = System.nanoTime();
            publish(node, 20, "{\"paced\": \"\"}");
            LocalNode.awaiting().until(() -> done.get() == 20);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(180));
        }
    }

    @Test
    void closeTheirLaneWithoutLosingAnAttempt() throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger lastAttempt = new AtomicInteger();
        try (LocalNode node = LocalNode.start(database, database.dataSource(), null, 4, (payload, job) -> {
            if (calls.incrementAndGet() == 1) {
                throw new RateLimitedException(Duration.ofMillis(300));
            }
            lastAttempt.set(job.attempt());
            return null;
        })) {
            long began = System.nanoTime();
            publish(node, 3, "{\"one\": \"b\"}");
            LocalNode.awaiting().until(() -> calls.get() == 4);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(300));
            assertThat(lastAttempt).hasValue(1);
        }
    }

    @Test
    void closeTheirFirstLaneIfTheyNameNoneOfTheirs() throws SQLException {
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger lastAttempt = new AtomicInteger();
        try (LocalNode node = LocalNode.start(database, database.dataSource(), null, 4, (payload, job) -> {
            if (calls.incrementAndGet() == 1) {
                throw new RateLimitedException(Duration.ofMillis(300), "misspelt");
            }
            lastAttempt.set(job.attempt());
            return null;
        })) {
            long began = System.nanoTime();
            publish(node, 2, "{\"one\": \"c\"}");
            LocalNode.awaiting().until(() -> calls.get() == 3);
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(300));
            assertThat(lastAttempt).hasValue(1);
        }
    }
}
