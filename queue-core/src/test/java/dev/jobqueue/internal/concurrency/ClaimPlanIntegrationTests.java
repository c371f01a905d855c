package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.concurrency.Measurement.Call;
import dev.jobqueue.internal.concurrency.Measurement.Cost;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What calls cost and how they find their rows, while the tables fill up and the statistics still call them empty. */
@TestInstance(Lifecycle.PER_CLASS)
class ClaimPlanIntegrationTests {

    private static final TestDatabase database = Session.database();
    private static final Map<Fill, Map<Call, Cost>> costs = new EnumMap<>(Fill.class);

    /** How full the tables are, each time with all that came before. */
    enum Fill {
        NEARLY_EMPTY(jobs("ready", 200, "gen_random_uuid()", "now() - interval '1 day'")),
        MILLION_IN_HISTORY("INSERT INTO queue.job_history (id, queue, type, state, priority, run_at, payload, headers,"
                + " attempt, max_attempts, created_at, errors, steps, events, finished_at, claimed_at)"
                + " SELECT lpad(to_hex(i), 32, '0')::uuid, 'default', 'test', 'COMPLETED', 0, now(), '{}', '{}', 1, 3,"
                + " now(), '[]', 0, 0, now(), now() FROM generate_series(1, 1000000) AS i"),
        MANY_SCHEDULED(jobs(
                "scheduled", 200_000, "('1' || lpad(to_hex(i), 31, '0'))::uuid", "now() + i * interval '1 minute'")),
        MANY_PENDING(
                jobs("ready", 200_000, "('2' || lpad(to_hex(i), 31, '0'))::uuid", "now() - i * interval '1 second'")),
        MANY_PENDING_AND_ANALYZED("ANALYZE");

        final String sql;

        Fill(String sql) {
            this.sql = sql;
        }

        private static String jobs(String place, int count, String id, String runAt) {
            return """
                    WITH new AS (
                        INSERT INTO queue.job (id, queue, type, priority, run_at, payload, max_attempts, created_at)
                        SELECT %s, 'default', 'test', 0, %s, '{}', 3, now() FROM generate_series(1, %d) AS i
                        RETURNING id, run_at)
                    INSERT INTO queue.%s (epoch, hash, rank, run_at, id, type, size)
                    SELECT queue.internal_enter(), hashtextextended('default', 0), ~0, run_at, id, 'test', 2 FROM new
                    """.formatted(id, runAt, count, place);
        }
    }

    @BeforeAll
    static void fillAndMeasure() throws SQLException {
        try (Session session = Session.open(database)) {
            // Wrong statistics from here on, and nobody who renews them.
            for (String table : Measurement.TABLES) {
                session.execute("ALTER TABLE " + table + " SET (autovacuum_enabled = off)");
            }
            for (String partition : session.<String>column(
                    "SELECT relid::text FROM" + " pg_partition_tree('queue.job_history') WHERE isleaf")) {
                session.execute("ALTER TABLE " + partition + " SET (autovacuum_enabled = off)");
            }
            session.execute("ANALYZE");
            for (Fill fill : Fill.values()) {
                session.execute(fill.sql);
                costs.put(fill, new Measurement(database).all());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Fill.class)
    void findsJobsByTheirIndex(Fill fill) {
        costs.get(fill).forEach((call, cost) -> {
            assertThat(cost.seqScans()).as("sequential scans by %s", call).isZero();
            assertThat(cost.claimIndexScans() > 0)
                    .as("%s uses ready_claim", call)
                    .isEqualTo(call == Call.CLAIM || call == Call.CLAIM_OF_A_TYPE);
        });
    }

    @ParameterizedTest
    @EnumSource(Call.class)
    void costsTheSameHoweverFullTheTablesAre(Call call) {
        long before = costs.get(Fill.NEARLY_EMPTY).get(call).buffers();
        costs.forEach((fill, measured) -> assertThat(measured.get(call).buffers())
                .as("buffers of %s when %s; %d when nearly empty", call, fill, before)
                .isLessThanOrEqualTo(before * 13 / 10 + call.allowance()));
    }

    @Test
    void walksTheClaimIndexInOrderAndStopsAtTheLimit() throws SQLException {
        List<String> plans = new Measurement(database).plansOfAClaim("default", 5);

        assertThat(plans)
                .filteredOn(plan -> plan.contains("LockRows"))
                .isNotEmpty()
                .allSatisfy(plan -> assertThat(plan)
                        .contains("Limit", "Index Scan using ready_claim on ready")
                        .doesNotContain("Sort"));
        assertThat(plans)
                .filteredOn(plan -> plan.contains("Delete on ready"))
                .isNotEmpty()
                .allSatisfy(plan -> assertThat(plan).contains("Tid Scan on ready"));
        assertThat(plans).noneMatch(plan -> plan.contains("Seq Scan on job") || plan.contains("Update on job"));
    }
}
