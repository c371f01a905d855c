package dev.jobqueue.internal.store.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
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

            List<Long> costs = claimAndCompleteAll(worker);

            assertThat(holder.number("SELECT count(*) FROM queue.job")).isEqualTo(JOBS);
            assertThat(worker.number("SELECT count(*) FROM queue.job")).isZero();
            int fifth = costs.size() / 5;
            long before = median(costs.subList(1, 1 + fifth));
            long after = median(costs.subList(costs.size() - fifth, costs.size()));
            assertThat(after).as("buffers by claim: %s", costs).isLessThanOrEqualTo(before * 3 / 2);
        }
    }

    private static List<Long> claimAndCompleteAll(Session worker) throws SQLException {
        List<Long> costs = new ArrayList<>();
        for (int i = 0; i < JOBS; i += BATCH) {
            costs.add(worker.buffers(
                    "SELECT count(*) FROM queue.claim(?, '{default}', ARRAY[?::int])", worker.workerId(), BATCH));
            worker.execute("SELECT queue.complete_many(array_agg(id), array_agg(lease))"
                    + " FROM queue.job WHERE state = 'RUNNING'");
        }
        return costs;
    }

    /** The middle one: a claim that walks from the very start, as they do now and then, costs more and may. */
    private static long median(List<Long> costs) {
        return costs.stream().sorted().toList().get(costs.size() / 2);
    }
}
