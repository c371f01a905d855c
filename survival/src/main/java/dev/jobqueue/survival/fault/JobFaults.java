package dev.jobqueue.survival.fault;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Random;

/** Jobs that are bad for their node, published by SQL, and a stranger who locks the row of one that runs. */
final class JobFaults {

    private static final int SOME = 20;
    private static final int BIG = 150;

    private static final String RUNNING = """
            SELECT l.worker_id FROM queue.lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                JOIN queue.job j ON j.id = h.id AND j.version = h.version
            ORDER BY l.claimed_at DESC LIMIT 1
            """;

    /** How long a handler keeps the heap full. */
    private static final Duration FULL = Duration.ofSeconds(4);

    private JobFaults() {}

    static Runnable throwErrors(Cluster cluster, Random random) {
        cluster.database()
                .execute(
                        "SELECT queue.publish('doomed.error', jsonb_build_object('kind', mod(i, 4), 'generated', true))"
                                + " FROM generate_series(1, %d) i".formatted(SOME));
        return awaitEnd(cluster, "doomed.error");
    }

    static Runnable useAbsurdValues(Cluster cluster, Random random) {
        cluster.database()
                .execute("SELECT queue.publish('doomed.absurd', jsonb_build_object('kind', mod(i, 2),"
                        + " 'generated', true))"
                        + " FROM generate_series(1, %d) i".formatted(SOME));
        return awaitEnd(cluster, "doomed.absurd");
    }

    static Runnable exit(Cluster cluster, Random random) {
        cluster.database().execute("SELECT queue.publish('doomed.exit', '{\"generated\": true}'::jsonb)");
        return awaitEnd(cluster, "doomed.exit");
    }

    static Runnable publishBigPayloads(Cluster cluster, Random random) {
        cluster.database()
                .execute("SELECT queue.publish('big', jsonb_build_object('generated', true, 'text', repeat('x',"
                        + " 900000)))"
                        + " FROM generate_series(1, %d)".formatted(BIG));
        return awaitEnd(cluster, "big");
    }

    static Runnable fillHeap(Cluster cluster, Random random) {
        cluster.database()
                .execute("SELECT queue.publish('hungry', '{\"generated\": true, \"millis\": %d}'::jsonb)"
                        .formatted(FULL.toMillis()));
        cluster.pause(FULL);
        return () -> {};
    }

    /** A worker settles its other jobs while a stranger's transaction keeps the row of one, for longer than the ttl. */
    static Runnable lockRow(Cluster cluster, Random random) {
        try (Connection stranger = cluster.database().connect()) {
            stranger.setAutoCommit(false);
            cluster.await(
                    "a running job", () -> !cluster.database().query(RUNNING).isEmpty());
            String worker = Database.query(stranger, RUNNING + " FOR UPDATE OF j SKIP LOCKED");
            cluster.pause(cluster.timing().ttl());
            cluster.await("other jobs of worker " + worker, () -> settledLately(cluster, worker) >= SOME);
            stranger.rollback();
            return () -> {};
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static long settledLately(Cluster cluster, String worker) {
        return Long.parseLong(cluster.database()
                .query(("SELECT count(*) FROM queue.job_history WHERE worker_id = '%s'"
                                + " AND finished_at > now() - interval '%d ms'")
                        .formatted(worker, cluster.timing().ttl().toMillis())));
    }

    private static Runnable awaitEnd(Cluster cluster, String type) {
        return () -> cluster.await(
                "the jobs of type " + type + " to end",
                () -> cluster.database()
                        .query("SELECT count(*) FROM queue.live_job WHERE type = '%s'".formatted(type))
                        .equals("0"));
    }
}
