package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Places;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Somebody's report, backup or forgotten transaction keeps dead index entries alive; claims must not walk over them.
 */
class HeldSnapshotIntegrationTests {

    private static final int JOBS = 30_000;
    private static final int BATCH = 500;

    private final TestDatabase database = Session.database();

    @AfterEach
    void audit() throws SQLException {
        Places.audit(database);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT count(*) FROM queue.live_job",
                "CREATE TABLE public.written AS SELECT pg_current_xact_id()"
            })
    void claimsAtTheSameCostAsBefore(String firstStatement) throws SQLException {
        try (Session holder = Session.open(database);
                Session worker = Session.open(database)) {
            for (int i = 0; i < JOBS; i += 5_000) {
                worker.publish(5_000);
            }
            holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
            holder.execute(firstStatement);

            Costs costs = claimAndCompleteAll(worker);

            assertThat(holder.number("SELECT count(*) FROM queue.live_job")).isEqualTo(JOBS);
            assertThat(worker.number("SELECT count(*) FROM queue.live_job")).isZero();
            assertFlat(costs.full());
            assertFlat(costs.small());
        }
    }

    /**
     * Returns what claims of a full batch cost, and what small ones cost at the same time, which shows a walk sooner.
     */
    private static Costs claimAndCompleteAll(Session worker) throws SQLException {
        Costs costs = new Costs(new ArrayList<>(), new ArrayList<>());
        for (int i = 0; i < JOBS; i += BATCH) {
            worker.execute("BEGIN");
            costs.small().add(claim(worker, 10));
            worker.execute("ROLLBACK");
            costs.full().add(claim(worker, BATCH));
            worker.execute("SELECT queue.complete_many(array_agg(id), array_agg(lease))"
                    + " FROM queue.live_job WHERE state = 'RUNNING'");
        }
        return costs;
    }

    private static long claim(Session worker, int limit) throws SQLException {
        return worker.buffers(
                "SELECT count(*) FROM queue.claim(?, '{default}', ARRAY[?::int])", worker.workerId(), limit);
    }

    /**
     * From the second fifth on, when claims walk over some of what is gone: how much of it, changes with the epochs.
     */
    private static void assertFlat(List<Long> costs) {
        int fifth = costs.size() / 5;
        double before = average(costs.subList(fifth, 2 * fifth));
        double after = average(costs.subList(costs.size() - fifth, costs.size()));
        assertThat(after).as("buffers by claim: %s", costs).isLessThanOrEqualTo(before * 1.5);
    }

    private static double average(List<Long> costs) {
        return costs.stream().mapToLong(Long::longValue).average().orElseThrow();
    }

    /** Buffers by claim. */
    private record Costs(List<Long> full, List<Long> small) {}
}
