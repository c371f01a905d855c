package dev.jobqueue.internal.store.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Somebody's report, backup or forgotten transaction keeps dead index entries alive; claims must not walk over them. */
class HeldSnapshotIntegrationTests {

    private static final int JOBS = 30_000;
    private static final int BATCH = 500;

    private final TestDatabase database = Session.database();

    @ParameterizedTest
    @ValueSource(
            strings = {"SELECT count(*) FROM queue.job", "CREATE TABLE public.written AS SELECT pg_current_xact_id()"})
    void claimsAtTheSameCostAsBefore(String firstStatement) throws SQLException {
        try (Session holder = Session.open(database);
                Session worker = Session.open(database)) {
            for (int i = 0; i < JOBS; i += 5_000) {
                worker.publish(5_000);
            }
            holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
            holder.execute(firstStatement);
            untilItCountsAsLong(worker);

            Costs costs = claimAndCompleteAll(worker);

            assertThat(holder.number("SELECT count(*) FROM queue.job")).isEqualTo(JOBS);
            assertThat(worker.number("SELECT count(*) FROM queue.job")).isZero();
            assertFlat(costs.full());
            assertFlat(costs.small());
        }
    }

    /** Positions stay where they are for the first second of a transaction that may publish: let that pass, at work. */
    private static void untilItCountsAsLong(Session worker) {
        await().pollInterval(Duration.ofMillis(100))
                .during(Duration.ofSeconds(2))
                .atMost(Duration.ofSeconds(60))
                .until(() -> claim(worker, 1) > 0);
    }

    /** Returns what claims of a full batch cost, and what small ones cost at the same time, which shows a walk sooner. */
    private static Costs claimAndCompleteAll(Session worker) throws SQLException {
        Costs costs = new Costs(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < JOBS; i += BATCH) {
            worker.execute("BEGIN");
            costs.small().add(claim(worker, 10));
            worker.execute("ROLLBACK");
            costs.full().add(claim(worker, BATCH));
            worker.execute("SELECT queue.complete_many(array_agg(id), array_agg(lease))"
                    + " FROM queue.job WHERE state = 'RUNNING'");
        }
        return costs;
    }

    private static long claim(Session worker, int limit) throws SQLException {
        return worker.buffers(
                "SELECT count(*) FROM queue.claim(?, '{default}', ARRAY[?::int])", worker.workerId(), limit);
    }

    private static void assertFlat(List<Long> costs) {
        int fifth = costs.size() / 5;
        long before = median(costs.subList(1, 1 + fifth));
        long after = median(costs.subList(costs.size() - fifth, costs.size()));
        assertThat(after).as("buffers by claim: %s", costs).isLessThanOrEqualTo(before * 3 / 2);
    }

    /** The middle one: a claim that walks from the very start, as they do now and then, costs more and may. */
    private static long median(List<Long> costs) {
        return costs.stream().sorted().toList().get(costs.size() / 2);
    }

    /** Buffers by claim. */
    private record Costs(List<Long> full, List<Long> small) {}
}
