package dev.jobqueue.internal.concurrency;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a call costs in a session that has made it before, so that reading the catalogs does not count. */
final class Measurement {

    /** Those that fill up. */
    static final List<String> TABLES = List.of("queue.job", "queue.ready", "queue.scheduled", "queue.lease");

    private static final int LIMIT = 20;

    private final TestDatabase database;

    Measurement(TestDatabase database) {
        this.database = database;
    }

    Map<Call, Cost> all() throws SQLException {
        Map<Call, Cost> costs = new EnumMap<>(Call.class);
        for (Call call : Call.values()) {
            costs.put(call, measure(call));
        }
        return costs;
    }

    private Cost measure(Call call) throws SQLException {
        try (Session session = Session.open(database)) {
            for (int i = 0; i < 3; i++) {
                once(session, call);
            }
            return once(session, call);
        }
    }

    /** Rolled back, so that every call finds what the others found. */
    private static Cost once(Session session, Call call) throws SQLException {
        session.execute("BEGIN");
        try {
            if (call.needsRunningJobs) {
                session.execute("CREATE TEMPORARY TABLE batch ON COMMIT DROP AS SELECT array_agg(id) AS ids,"
                        + " array_agg(lease) AS leases FROM queue.claim(gen_random_uuid(), '{default}', ARRAY[" + LIMIT
                        + "])");
            }
            long seqScansBefore = seqScans(session);
            long claimIndexScansBefore = scans(session, "queue.ready_claim");
            long buffers = session.buffers(call.sql.formatted(Session.QUEUE, LIMIT));
            return new Cost(
                    buffers,
                    seqScans(session) - seqScansBefore,
                    scans(session, "queue.ready_claim") - claimIndexScansBefore);
        } finally {
            session.execute("ROLLBACK");
        }
    }

    private static long seqScans(Session session) throws SQLException {
        long scans = 0;
        for (String table : TABLES) {
            scans += scans(session, table);
        }
        return scans;
    }

    /** Those of this transaction. */
    private static long scans(Session session, String relation) throws SQLException {
        return session.number("SELECT pg_stat_get_xact_numscans(?::regclass)", relation);
    }

    /** The plans of all statements inside a claim, as they were executed. */
    List<String> plansOfAClaim(String queue, int limit) throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute("LOAD 'auto_explain'");
            session.execute("SET auto_explain.log_nested_statements = on");
            session.execute("SET auto_explain.log_min_duration = 0");
            session.execute("SET auto_explain.log_level = notice");
            return session.notices(
                    "SELECT * FROM queue.claim(gen_random_uuid(), '{%s}', '{%d}')".formatted(queue, limit));
        }
    }

    /** What is measured. */
    enum Call {
        CLAIM("SELECT count(*) FROM queue.claim(gen_random_uuid(), '{%s}', '{%d}')", 3),
        CLAIM_OF_A_TYPE("SELECT count(*) FROM queue.claim(gen_random_uuid(), '{%s}', '{%d}', '{test}')", 3),
        COMPLETE("SELECT count(*) FROM batch, queue.complete_many(ids, leases)", 3),
        FAIL("SELECT count(*) FROM batch, queue.fail_many(ids, leases, array_fill('x'::text, ARRAY[%2$d]))", 16),
        RELEASE("SELECT count(*) FROM batch, queue.release(ids, leases)", 12),
        PROMOTE_NOTHING("SELECT queue.promote()", 0),
        RESCUE_NOTHING("SELECT count(*) FROM queue.rescue()", 0),
        HEARTBEAT("SELECT count(*) FROM batch, queue.heartbeat(gen_random_uuid(), ids => ids, leases => leases)", 3);

        private final String sql;
        private final int pagesPerJob;
        private final boolean needsRunningJobs;

        Call(String sql, int pagesPerJob) {
            this.sql = sql;
            this.pagesPerJob = pagesPerJob;
            this.needsRunningJobs = sql.contains("FROM batch");
        }

        /**
         * What may come on top: some pages per job for deeper indexes, a few for the first job, and as much again
         * twice: now and then a call after ANALYZE needs it, probably for versions that the measurements before rolled
         * back, which has not been traced. A call that walks over the jobs of others costs thousands.
         */
        int allowance() {
            return 10 + 3 * pagesPerJob * LIMIT;
        }
    }

    /**
     * What a call did.
     *
     * @param buffers pages looked at
     * @param seqScans of the tables that fill up
     * @param claimIndexScans of the index ready_claim
     */
    record Cost(long buffers, long seqScans, long claimIndexScans) {}
}
