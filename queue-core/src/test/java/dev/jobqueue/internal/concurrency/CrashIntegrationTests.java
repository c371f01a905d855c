package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.postgres.EmbeddedServer;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Claims do not wait for the disk: a server that crashes may forget them, but not the jobs. */
class CrashIntegrationTests {

    private static final int JOBS = 100;

    private static final EmbeddedServer server = EmbeddedServer.start();
    private static final TestDatabase database = new TestDatabase(server.jdbcUrl("postgres"), server.username(), "");

    @BeforeAll
    static void migrate() throws SQLException {
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
        try (Session session = Session.open(database)) {
            // What commits asynchronously stays in memory for as long.
            session.execute("ALTER SYSTEM SET wal_writer_delay = '10s'");
            session.execute("SELECT pg_reload_conf()");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void letsOneOfTwoCompleteAJobWhoseClaimWasForgotten(boolean oldOneFirst) throws SQLException {
        List<UUID> ids;
        try (Session session = Session.open(database)) {
            ids = session.publish(JOBS);
        }
        List<JobLease> old = forgottenClaims();

        try (Session session = Session.open(database)) {
            List<JobLease> again = claims(session);
            assertThat(again).extracting(JobLease::id).containsExactlyElementsOf(ids);
            if (oldOneFirst) {
                assertThat(session.complete(old)).containsExactlyElementsOf(ids);
            }
            assertThat(session.complete(again)).isEmpty();
            assertThat(session.complete(old)).containsExactlyElementsOf(ids);
            assertThat(session.number("SELECT count(*) FROM queue.live_job")).isZero();
        }
        Places.audit(database);
    }

    /** A claim that was forgotten would let another job pass while the handler of the first one runs. */
    @Test
    void remembersClaimsOfJobsWithLimits() throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute("SELECT queue.set_limit('one', running => 1)");
            session.execute("SELECT queue.publish('test', '{}', 'limited', limits => '{\"one\": \"\"}')"
                    + " FROM generate_series(1, 2)");
        }
        for (int i = 0; i < 3; i++) {
            JobLease claim;
            try (Session session = Session.open(database)) {
                claim = session.claims
                        .claim(session.workerId(), Map.of("limited", 5), null)
                        .get(0)
                        .lease();
                server.crash();
            }
            try (Session session = Session.open(database)) {
                assertThat(session.claims.claim(session.workerId(), Map.of("limited", 5), null))
                        .isEmpty();
                assertThat(session.settlements.release(List.of(claim))).isEmpty();
            }
        }
        try (Session session = Session.open(database)) {
            session.execute("SELECT queue.cancel(id) FROM queue.job");
        }
        Places.audit(database);
    }

    /**
     * Claims that a crash took back. Now and then some reach the disk before it: these are released and claimed again.
     */
    private static List<JobLease> forgottenClaims() throws SQLException {
        for (int i = 0; i < 10; i++) {
            List<JobLease> claims = claimAndCrash();
            try (Session session = Session.open(database)) {
                if (session.number("SELECT count(*) FROM queue.lease") == 0) {
                    return claims;
                }
                session.settlements.release(claims);
            }
        }
        throw new AssertionError("No crash took a claim back");
    }

    private static List<JobLease> claimAndCrash() throws SQLException {
        try (Session session = Session.open(database)) {
            List<JobLease> claims = claims(session);
            assertThat(claims).hasSize(JOBS);
            server.crash();
            return claims;
        }
    }

    private static List<JobLease> claims(Session session) {
        return session.claim(JOBS).stream().map(ClaimedJob::lease).toList();
    }
}
