package dev.jobqueue.internal.store.concurrency;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A claim of many jobs in a table that was empty before them, so that they lie in it as they were stored. */
class LargeClaimIntegrationTests {

    private static final TestDatabase database = Session.database();

    @BeforeEach
    void storeInOrder() throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute("TRUNCATE queue.job");
            session.execute("SELECT queue.set_retry_policy('test', max_attempts => 7, timeout => '1 minute')");
            session.execute("INSERT INTO queue.job (id, type, run_at, payload) SELECT gen_random_uuid(), 'test',"
                    + " now() - interval '1 day' + i * interval '1 ms', '{}' FROM generate_series(1, 300) AS i");
        }
    }

    @Test
    void visitsJobsThatWereStoredInItsOrderInOneScan() throws SQLException {
        assertThat(new Measurement(database).plansOfAClaim("default", 150))
                .filteredOn(plan -> plan.contains("Update on job"))
                .singleElement(as(STRING))
                .contains("Tid Scan on job", "ctid = ANY")
                .doesNotContain("Nested Loop");
    }

    @Test
    void makesOfAJobWhatASmallOneMakesOfIt() throws SQLException {
        String claimed = "SELECT DISTINCT (to_jsonb(c) - '{id,lease,created_at,run_at,claimed_at,timeout_at}'::text[]"
                + " || jsonb_build_object('time', timeout_at - claimed_at))::text"
                + " FROM queue.claim('00000000-0000-0000-0000-000000000001', '{default}', '{%d}') AS c";
        try (Session session = Session.open(database)) {
            List<String> small = session.column(claimed.formatted(1));
            List<String> large = session.column(claimed.formatted(150));

            assertThat(small).singleElement(as(STRING)).contains("\"max_attempts\": 7", "\"time\": \"00:01:00\"");
            assertThat(large).isEqualTo(small);
            assertThat(session.<Long>column("SELECT count(*) FROM queue.job j WHERE state = 'RUNNING' AND attempt = 1"
                            + " AND max_attempts = 7 AND worker_id = '00000000-0000-0000-0000-000000000001'"))
                    .containsExactly(151L);
        }
    }
}
