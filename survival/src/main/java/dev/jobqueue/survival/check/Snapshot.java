package dev.jobqueue.survival.check;

import dev.jobqueue.survival.cluster.Database;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** All that the database holds, of one moment. */
final class Snapshot {

    private static final String JOBS = """
            SELECT id, type, state, attempt, payload, claimed_at < run_at AS early FROM queue.live_job
            UNION ALL
            SELECT id, type, state, attempt, payload, claimed_at < run_at FROM queue.job_history
            UNION ALL
            SELECT id, type, 'DEAD', attempt, payload, claimed_at < run_at FROM queue.dead_letter
            """;

    private static final String MISPLACED = """
            SELECT id, format('%s jobs, %s places',
                count(*) FILTER (WHERE NOT is_place), count(*) FILTER (WHERE is_place))
            FROM (SELECT id, false AS is_place FROM queue.job
                UNION ALL SELECT id, true FROM queue.ready
                UNION ALL SELECT id, true FROM queue.scheduled
                UNION ALL SELECT id, true FROM queue.waiting
                UNION ALL SELECT j.id, true
                    FROM queue.lease l CROSS JOIN LATERAL unnest(l.ids, l.versions) AS h (id, version)
                        JOIN queue.job j ON j.id = h.id AND j.version = h.version) AS p
            GROUP BY id HAVING count(*) <> 2 OR bool_and(is_place)
            """;

    /** One job follows each round of a batch or flow, and only when all of it has ended. */
    private static final String UNTOLD = """
            SELECT format('%s %s (%s, round %s): %s of %s ended, %s told', f.kind, f.id, f.state, f.round,
                f.done + f.dead + f.cancelled, f.total, count(c.flow)) AS what
            FROM queue.flow f LEFT JOIN (
                SELECT headers ->> 'flow' AS flow FROM queue.live_job WHERE headers ? 'flow'
                UNION ALL SELECT headers ->> 'flow' FROM queue.job_history WHERE headers ? 'flow'
                UNION ALL SELECT headers ->> 'flow' FROM queue.dead_letter WHERE headers ? 'flow') AS c
                ON c.flow = f.id::text
            GROUP BY f.id
            HAVING count(c.flow) <> f.round - CASE WHEN f.finished_at IS NULL THEN 1 ELSE 0 END
                OR f.finished_at IS NOT NULL AND f.done + f.dead + f.cancelled <> f.total
            """;

    private static final String ERRORS = """
            SELECT id, (e ->> 'attempt')::int AS attempt, e ->> 'error' AS error
            FROM (SELECT id, errors FROM queue.live_job
                UNION ALL SELECT id, errors FROM queue.job_history
                UNION ALL SELECT id, errors FROM queue.dead_letter) j
            CROSS JOIN jsonb_array_elements(errors) e WHERE e ->> 'error' NOT LIKE '%on purpose%'
            """;

    private final Map<UUID, List<JobRow>> jobs = new HashMap<>();
    private final Map<UUID, List<BusinessRow>> business = new HashMap<>();
    private final Map<UUID, Map<Integer, String>> errors = new HashMap<>();
    private final Set<UUID> orders = new HashSet<>();
    private final Map<UUID, String> misplaced = new HashMap<>();
    private final List<String> over = new ArrayList<>();
    private final List<String> untold = new ArrayList<>();

    static Snapshot take(Database database) {
        Snapshot snapshot = new Snapshot();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            snapshot.read(connection);
            return snapshot;
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    /** By id; more than one row of an id is one too many. */
    Map<UUID, List<JobRow>> jobs() {
        return jobs;
    }

    List<JobRow> rows() {
        return jobs.values().stream().flatMap(List::stream).toList();
    }

    /** What transactional handlers wrote, by job. */
    Map<UUID, List<BusinessRow>> business() {
        return business;
    }

    /** The jobs that were published together with a row of the application's own. */
    Set<UUID> orders() {
        return orders;
    }

    /** Live jobs that do not stand in exactly one place, and places without a job. */
    Map<UUID, String> misplaced() {
        return misplaced;
    }

    /** Moments at which more jobs ran than a limit allowed. */
    List<String> over() {
        return over;
    }

    /** Batches and flows of whose end was told too often, never, or too early. */
    List<String> untold() {
        return untold;
    }

    /** The errors of attempts, but for those thrown on purpose: by job and attempt. */
    Map<UUID, Map<Integer, String>> errors() {
        return errors;
    }

    void add(JobRow job) {
        jobs.computeIfAbsent(job.id(), id -> new ArrayList<>(1)).add(job);
    }

    void add(BusinessRow row) {
        business.computeIfAbsent(row.jobId(), id -> new ArrayList<>(1)).add(row);
    }

    private void read(Connection connection) throws SQLException {
        forEach(
                connection,
                "SELECT *, payload ->> 'generated' = 'true' AS generated FROM (%s) AS jobs".formatted(JOBS),
                row -> {
                    JobRow job = new JobRow(
                            id(row, "id"),
                            row.getString("type"),
                            row.getString("state"),
                            row.getInt("attempt"),
                            row.getBoolean("generated"),
                            row.getBoolean("early"));
                    add(job);
                });
        forEach(connection, "SELECT * FROM survival.business", row -> {
            BusinessRow written = new BusinessRow(id(row, "job_id"), row.getInt("attempt"), id(row, "child_id"));
            add(written);
        });
        forEach(connection, "SELECT * FROM survival.orders", row -> orders.add(id(row, "job_id")));
        forEach(connection, "SELECT what FROM survival.over", row -> over.add(row.getString("what")));
        forEach(connection, UNTOLD, row -> untold.add(row.getString("what")));
        forEach(connection, MISPLACED, row -> misplaced.put(id(row, "id"), row.getString("format")));
        forEach(
                connection,
                ERRORS,
                row -> errors.computeIfAbsent(id(row, "id"), id -> new HashMap<>())
                        .put(row.getInt("attempt"), row.getString("error")));
    }

    private static UUID id(ResultSet row, String column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    private static void forEach(Connection connection, String sql, RowConsumer consumer) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            while (rows.next()) {
                consumer.accept(rows);
            }
        }
    }

    /** A row that a transactional handler wrote. */
    record BusinessRow(UUID jobId, int attempt, UUID childId) {}

    @FunctionalInterface
    private interface RowConsumer {
        void accept(ResultSet row) throws SQLException;
    }
}
