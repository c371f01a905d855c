package dev.jobqueue.internal.store.concurrency;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

/** A claim of many jobs in a table that was empty before them, so that they lie in it as they were stored. */
class LargeClaimIntegrationTests {

    private static final TestDatabase database = Session.database();

    @Test
    void visitsJobsThatWereStoredInItsOrderInOneScan() throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute("TRUNCATE queue.job");
            session.execute("INSERT INTO queue.job (id, type, run_at, payload) SELECT gen_random_uuid(), 'test',"
                    + " now() - interval '1 day' + i * interval '1 ms', '{}' FROM generate_series(1, 300) AS i");
        }

        assertThat(new Measurement(database).plansOfAClaim("default", 150))
                .filteredOn(plan -> plan.contains("Update on job"))
                .singleElement(as(STRING))
                .contains("Tid Scan on job", "ctid = ANY")
                .doesNotContain("Nested Loop");
    }
}
