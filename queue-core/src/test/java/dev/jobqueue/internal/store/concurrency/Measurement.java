package dev.jobqueue.internal.store.concurrency;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a call costs in a session that has made it before, so that reading the catalogs does not count. */
final class Measurement {

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
                once(session, call, call.warmUpQueue);
            }
            return once(session, call, Session.QUEUE);
        }
    }

    /** Rolled back, so that every call finds what the others found. */
    private static Cost once(Session session, Call call, String queue) throws SQLException {
        session.execute("BEGIN");
        try {
            if (call.needsRunningJobs) {
                session.execute("CREATE TEMPORARY TABLE batch ON COMMIT DROP AS SELECT array_agg(id) AS ids,"
                        + " array_agg(lease) AS leases FROM queue.claim(gen_random_uuid(), '{default}', ARRAY[" + LIMIT
                        + "])");
            }
            long seqScansBefore = scans(session, "queue.job");
            long claimIndexScansBefore = scans(session, "queue.job_claim");
            long buffers = session.buffers(call.sql.formatted(queue, LIMIT));
            return new Cost(
                    buffers,
                    scans(session, "queue.job") - seqScansBefore,
                    scans(session, "queue.job_claim") - claimIndexScansBefore);
        } finally {
            session.execute("ROLLBACK");
        }
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
        CLAIM("SELECT count(*) FROM queue.claim(gen_random_uuid(), '{%s}', '{%d}')", Session.QUEUE, 3),
        FIRST_CLAIM("SELECT count(*) FROM queue.claim(gen_random_uuid(), '{%s}', '{%d}')", "another queue", 3),
        CLAIM_OF_A_TYPE(
                "SELECT count(*) FROM queue.claim(gen_random_uuid(), '{%s}', '{%d}', '{test}')", Session.QUEUE, 3),
        COMPLETE("SELECT count(*) FROM batch, queue.complete_many(ids, leases)", Session.QUEUE, 3),
        FAIL(
                "SELECT count(*) FROM batch, queue.fail_many(ids, leases, array_fill('x'::text, ARRAY[%2$d]))",
                Session.QUEUE, 16),
        RELEASE("SELECT count(*) FROM batch, queue.release(ids, leases)", Session.QUEUE, 12),
        PROMOTE_NOTHING("SELECT queue.promote()", Session.QUEUE, 0),
        RESCUE_NOTHING("SELECT count(*) FROM queue.rescue()", Session.QUEUE, 0),
        HEARTBEAT(
                "SELECT count(*) FROM batch, queue.heartbeat(gen_random_uuid(), ids => ids, leases => leases)",
                Session.QUEUE,
                3);

        private final String sql;
        private final String warmUpQueue;
        private final int pagesPerJob;
        private final boolean needsRunningJobs;

        Call(String sql, String warmUpQueue, int pagesPerJob) {
            this.sql = sql;
            this.warmUpQueue = warmUpQueue;
            this.pagesPerJob = pagesPerJob;
            this.needsRunningJobs = sql.contains("FROM batch");
        }

        /**
         * What may come on top: some pages per job for deeper indexes, a few for the first job, and as much again twice: now
         * and then a call after ANALYZE needs it, probably for versions that the measurements before rolled back, which has
         * not been traced. A call that walks over the jobs of others costs thousands.
         */
        int allowance() {
            return 10 + 3 * pagesPerJob * LIMIT;
        }
    }

    /**
     * What a call did.
     *
     * @param buffers pages looked at
     * @param seqScans of the table job
     * @param claimIndexScans of the index job_claim
     */
    record Cost(long buffers, long seqScans, long claimIndexScans) {}
}
