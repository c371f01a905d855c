package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** FIFO lanes at moments that hardly ever come. */
class FifoLanesIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final UUID LOW = new UUID(1, 1);
    private static final UUID HIGH = new UUID(2, 2);

    private final TestDatabase database = Session.database();
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    private Session session;
    private Session other;

    @BeforeEach
    void fifo() throws SQLException {
        session = Session.open(database);
        other = Session.open(database);
        session.execute("SELECT queue.set_limit('fifo', kind => 'FIFO', running => 10),"
                + " queue.set_limit('all', running => 1)");
    }

    @AfterEach
    void audit() throws SQLException {
        thread.shutdownNow();
        session.close();
        other.close();
        Places.audit(database);
    }

    /** The claim finds the later job in a snapshot that is newer than the one in which it looks at its limits. */
    @Test
    void keepTheLimitsOfAJobThatCommitsWhileTheyAreLookedAt() throws Exception {
        session.execute("SELECT queue.publish('x', '{}', limits => '{\"all\": \"\"}')");
        assertThat(session.claim(1)).hasSize(1);
        publish(LOW, "{\"fifo\": \"\"}");
        waitBetweenSnapshots();
        session.execute("SELECT pg_advisory_lock(77)");

        Future<List<UUID>> claimed = CompletableFuture.supplyAsync(() -> other.claimIds(10), thread);
        awaitLocked();
        publish(HIGH, "{\"fifo\": \"\", \"all\": \"\"}");
        session.execute("SELECT pg_advisory_unlock(77)");

        assertThat(claimed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).containsExactly(LOW);
        assertThat(session.number("SELECT count(*) FROM queue.live_job WHERE id = ? AND state = 'WAITING'", HIGH))
                .isOne();
    }

    @ParameterizedTest
    @ValueSource(strings = {"release_lane('fifo', '')", "set_limit('fifo', running => 1)"})
    void areGivenUpWhileTheirJobsAreCancelledInTheOrderOfIds(String call) throws Exception {
        publish(HIGH, "{\"fifo\": \"\"}");
        publish(LOW, "{\"fifo\": \"\"}");
        List<JobLease> series =
                session.claim(10).stream().map(job -> job.lease()).toList();
        assertThat(series).extracting(JobLease::id).containsExactly(HIGH, LOW);
        session.settlements.failAll(
                series.stream().map(lease -> new Failure(lease, "broken", true)).toList());
        session.execute("BEGIN");
        session.execute("SELECT queue.cancel(?)", LOW);

        Future<?> givingUp = CompletableFuture.runAsync(() -> callInOther(call), thread);
        awaitLocked();
        session.execute("SELECT queue.cancel(?)", HIGH);
        session.execute("COMMIT");

        givingUp.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(session.number("SELECT count(*) FROM queue.held")).isZero();
    }

    private void callInOther(String call) {
        try {
            other.execute("SELECT queue." + call);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private void publish(UUID id, String limits) throws SQLException {
        session.execute("SELECT queue.publish('x', '{}', id => ?, limits => ?::jsonb)", id, limits);
    }

    /** Lets a claim wait for a lock where it looks for several jobs of a lane, whose statement has its snapshot. */
    private void waitBetweenSnapshots() throws SQLException {
        session.execute("ALTER FUNCTION queue.internal_heads(bigint, int[], int) RENAME TO internal_found_heads");
        session.execute("""
                CREATE FUNCTION queue.internal_heads(of_line bigint, epochs int[], wanted int)
                RETURNS TABLE (tid tid, id uuid, size int, rank int, place timestamptz) LANGUAGE plpgsql AS $$
                BEGIN
                    IF wanted > 1 THEN
                        PERFORM pg_advisory_xact_lock_shared(77);
                    END IF;
                    RETURN QUERY SELECT * FROM queue.internal_found_heads(of_line, epochs, wanted);
                END $$""");
    }

    private void awaitLocked() throws SQLException {
        // What a transaction sees of other sessions stays the same.
        try (Session observer = Session.open(database)) {
            await().atMost(PATIENCE)
                    .until(() -> observer.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                                    + " AND datname = current_database()")
                            == 1);
        }
    }
}
