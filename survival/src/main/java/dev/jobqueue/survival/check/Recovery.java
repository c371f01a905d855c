package dev.jobqueue.survival.check;

import dev.jobqueue.survival.cluster.Cluster;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** The jobs that could run at the moment of a look: none may stay as it was for longer than the ttl and a margin. */
public final class Recovery {

    /** A job stays as it was as long as this is the same. */
    private static final String JOBS =
            "SELECT id || ' ' || state || ' ' || attempt || ' ' || coalesce(lease, 0) FROM queue.live_job";

    private static final String NOW = JOBS + " WHERE state = 'RUNNING' OR run_at <= statement_timestamp() ORDER BY id";

    private static final String STILL =
            JOBS + " WHERE id || ' ' || state || ' ' || attempt || ' ' || coalesce(lease, 0) = ANY (?)";

    private static final String UNFINISHED = JOBS
            + " UNION ALL SELECT format('%s %s %s: %s of %s', kind, id, state, done + dead + cancelled, total)"
            + " FROM queue.flow WHERE finished_at IS NULL";

    private static final Duration STEP = Duration.ofMillis(50);

    private final Cluster cluster;
    private final long began = System.nanoTime();
    private final OffsetDateTime since;
    private List<String> waiting;

    private Recovery(Cluster cluster, OffsetDateTime since, List<String> waiting) {
        this.cluster = cluster;
        this.since = since;
        this.waiting = waiting;
    }

    /** Looks once, for all that must move on from now. */
    public static Recovery begin(Cluster cluster) {
        // by the clock of the database, which is that of this machine
        OffsetDateTime since = OffsetDateTime.now(ZoneOffset.UTC);
        return new Recovery(cluster, since, live(cluster, NOW));
    }

    /** Waits until nothing is left that could run, now or later, and no batch or flow is unfinished. */
    public static void awaitEmpty(Cluster cluster) {
        long deadline = System.nanoTime() + cluster.timing().limit().toNanos();
        List<String> left = live(cluster, UNFINISHED);
        while (!left.isEmpty()) {
            if (deadline - System.nanoTime() < 0) {
                throw new NotRecoveredException(
                        "after %s it still has %s".formatted(cluster.timing().limit(), left));
            }
            cluster.pause(STEP);
            left = live(cluster, UNFINISHED);
        }
    }

    /** Waits until all of them have moved on, and tells how long that took. */
    public Duration await() {
        Duration limit = cluster.timing().limit();
        while (true) {
            waiting = still();
            Duration elapsed = Duration.ofNanos(System.nanoTime() - began);
            if (waiting.isEmpty()) {
                return elapsed;
            }
            if (elapsed.compareTo(limit) > 0) {
                throw new NotRecoveredException("after %s these jobs are as they were: %s".formatted(limit, waiting));
            }
            cluster.pause(STEP);
        }
    }

    /** Waits until a job that was published after the look is completed: the whole way is open again. */
    public void awaitFlow() {
        cluster.await("a job published after " + Instant.from(since), this::flows);
    }

    private static List<String> live(Cluster cluster, String sql) {
        try (Connection connection = cluster.database().connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            return strings(rows);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private boolean flows() {
        String sql = "SELECT FROM queue.job_history WHERE finished_at > ? AND created_at > ? LIMIT 1";
        try (Connection connection = cluster.database().connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setObject(1, since);
            statement.setObject(2, since);
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next();
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private List<String> still() {
        try (Connection connection = cluster.database().connect();
                PreparedStatement statement = connection.prepareStatement(STILL)) {
            Array jobs = connection.createArrayOf("text", waiting.toArray());
            statement.setArray(1, jobs);
            try (ResultSet rows = statement.executeQuery()) {
                return strings(rows);
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    private static List<String> strings(ResultSet rows) throws SQLException {
        List<String> strings = new ArrayList<>();
        while (rows.next()) {
            strings.add(rows.getString(1));
        }
        return strings;
    }

    /** Jobs that stayed where a fault had left them. */
    public static final class NotRecoveredException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        NotRecoveredException(String message) {
            super(message);
        }
    }
}
