package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.operate.Throughput;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ThroughputIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @AfterEach
    void reset() {
        queue.reset();
    }

    private static boolean measure() {
        return queue.one(Boolean.class, "SELECT queue.measure('0')");
    }

    private static void measureAll() {
        // an hour goes by in steps of ten minutes
        for (int calls = 1; measure(); calls++) {
            assertThat(calls).as("calls").isLessThan(20);
        }
    }

    private static List<Throughput> lastMinutes(String name, String type) {
        return queue.api.throughput(name, type, Duration.ofMinutes(5), Duration.ofMinutes(1)).stream()
                .filter(each -> each.completed() + each.failed() + each.dead() > 0)
                .toList();
    }

    private static long completed(String name, String type) {
        return lastMinutes(name, type).stream().mapToLong(Throughput::completed).sum();
    }

    @Nested
    class WhatIsCounted {

        @Test
        void isEachCompletedJobOnce() {
            queue.settlements.complete(queue.claimNew(), null);
            measureAll();
            queue.settlements.complete(queue.claimNew(), null);
            measureAll();
            measure();

            assertThat(completed(null, null)).isEqualTo(2);
        }

        @Test
        void isEachAttemptThatThrewAndEachDeath() {
            JobLease claim = queue.claimNew();
            queue.settlements.failAll(List.of(new Failure(claim, "oops", true)));
            queue.publishDead("oops");
            measureAll();

            assertThat(lastMinutes(null, null).stream()
                            .mapToLong(Throughput::failed)
                            .sum())
                    .isEqualTo(2);
            assertThat(lastMinutes(null, null).stream()
                            .mapToLong(Throughput::dead)
                            .sum())
                    .isEqualTo(1);
        }

        @Test
        void isToldByQueueByTypeAndByBoth() {
            queue.settlements.complete(queue.claimNew(), null);
            measureAll();

            assertThat(completed("default", null)).isEqualTo(1);
            assertThat(completed(null, "mail")).isEqualTo(1);
            assertThat(completed("default", "mail")).isEqualTo(1);
            assertThat(completed("default", "other")).isZero();
            assertThat(queue.api.throughputByQueue(Duration.ofMinutes(30))).containsOnlyKeys("", "default");
        }

        @Test
        void hasAveragesOfWaitAndRun() {
            JobLease claim = queue.claimNew();
            queue.execute("UPDATE queue.lease SET claimed_at = claimed_at - interval '10 seconds'");
            queue.execute("UPDATE queue.job SET created_at = created_at - interval '14 seconds',"
                    + " run_at = run_at - interval '14 seconds'");
            queue.settlements.complete(claim, null);
            measureAll();

            Throughput step = lastMinutes(null, null).get(0);
            assertThat(step.averageRun()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(40));
            assertThat(step.averageWait()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(34));
        }

        @Test
        void isNotWhatMayNotBeCommittedYet() {
            queue.settlements.complete(queue.claimNew(), null);
            queue.call("measure('1 hour')");

            assertThat(completed(null, null)).isZero();
        }

        @Test
        void isLeftToWhoeverCountsAlready() throws SQLException {
            queue.settlements.complete(queue.claimNew(), null);
            try (Connection other = queue.database.connect();
                    var statement = other.createStatement()) {
                other.setAutoCommit(false);
                statement.execute("SELECT pg_advisory_xact_lock(hashtextextended('jobqueue measure of queue', 0))");
                assertThat(measure()).isFalse();
                assertThat(completed(null, null)).isZero();
                other.rollback();
            }
            measureAll();
            assertThat(completed(null, null)).isEqualTo(1);
        }
    }

    @Nested
    class WhatIsKept {

        @Test
        void areShortStepsForMinutesAndLongOnesForADay() {
            for (String age : List.of("5 minutes", "20 minutes", "24 hours", "26 hours")) {
                for (int step : List.of(10, 60)) {
                    queue.execute("INSERT INTO queue.throughput VALUES (%d, '', '', now() - interval '%s', 1,0,0,0,0)"
                            .formatted(step, age));
                }
            }
            queue.execute("INSERT INTO queue.measured VALUES (true, now() - interval '2 minutes')");
            measure();

            assertThat(queue.list(
                            String.class,
                            "SELECT step || ' ' || (extract(epoch FROM now() - at)::int / 60) FROM queue.throughput"
                                    + " ORDER BY 1"))
                    .containsExactly("10 5", "60 1440", "60 20", "60 5");
        }

        @Test
        void areFailuresUntilTheyAreCounted() {
            queue.publishDead("oops");
            queue.execute("UPDATE queue.failure SET at = at - interval '10 minutes'");
            measureAll();

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.failure"))
                    .isZero();
            assertThat(queue.api.throughput(null, null, Duration.ofHours(1), Duration.ofMinutes(1)).stream()
                            .mapToLong(Throughput::failed)
                            .sum())
                    .isEqualTo(1);
        }
    }

    @Test
    void hasARowForEachStepAlsoWhereNothingEnded() {
        assertThat(queue.api.throughput(null, null, Duration.ofHours(1), Duration.ofMinutes(1)))
                .hasSize(60)
                .allMatch(each -> each.completed() == 0 && each.averageRun() == null);
        assertThat(queue.api.throughput(null, null, Duration.ofMinutes(5), Duration.ofSeconds(10)))
                .hasSize(30);
        assertThat(queue.api.throughput(null, null, Duration.ofDays(1), Duration.ofMinutes(15)))
                .hasSize(96);
    }

    /** 100,000 finished and as many dead ones of this day, of which a few hundred are new. */
    @Test
    void readsNewRowsOnlyHoweverManyThereAre() {
        queue.call("prune()");
        queue.execute("INSERT INTO queue.job_history (id, queue, type, state, priority, run_at, payload, attempt,"
                + " created_at, finished_at, wait, duration) SELECT gen_random_uuid(), 'q', 't', 'COMPLETED', 0, now(),"
                + " '{}', 1, now(), now() - i * interval '20 milliseconds', '1 s', '1 s'"
                + " FROM generate_series(100000, 1, -1) AS i");
        queue.execute(
                "INSERT INTO queue.dead_letter (id, queue, type, priority, run_at, payload, attempt, max_attempts,"
                        + " created_at, errors, reason, died_at) SELECT gen_random_uuid(), 'q', 't', 0, now(),"
                        + " '{}', 1, 1,"
                        + " now(), '[]', 'why', now() - i * interval '20 milliseconds' FROM"
                        + " generate_series(100000, 1, -1) AS i");
        queue.execute("UPDATE queue.dead_letter SET fingerprint = 'x'");
        // what autovacuum does with the pages of a day as they fill up
        queue.list(
                Integer.class,
                "SELECT brin_summarize_new_values(indexrelid)::int FROM pg_stat_user_indexes"
                        + " WHERE indexrelname LIKE 'job_history%finished_at%'");
        queue.execute("VACUUM ANALYZE queue.dead_letter");
        queue.execute("INSERT INTO queue.measured SELECT true, max(finished_at) - interval '4 seconds'"
                + " FROM queue.job_history");
        queue.execute("BEGIN");
        long before = rowsRead();
        measure();
        long read = rowsRead() - before;
        queue.execute("COMMIT");

        assertThat(completed(null, null)).isBetween(150L, 250L);
        assertThat(read).as("rows read").isLessThan(10_000);
    }

    private static long rowsRead() {
        return queue.one(
                Long.class,
                "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables"
                        + " WHERE schemaname = 'queue' AND relname ~ '^(job_history.*|dead_letter|failure)$'");
    }
}
