package dev.jobqueue.internal.concurrency;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.ReportCalls;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * One connection and everything the store does over it. Commits each statement, unless it was told to {@link #execute
 * execute} a {@code BEGIN}.
 */
final class Session implements AutoCloseable {

    static final String QUEUE = "default";

    private static final Schema SCHEMA = new Schema("queue");

    private static final Pattern BUFFERS_HIT = Pattern.compile("\"Shared Hit Blocks\": (\\d+)");
    private static final Pattern BUFFERS_READ = Pattern.compile("\"Shared Read Blocks\": (\\d+)");

    final ClaimCalls claims;
    final ReportCalls reports;
    final SettleCalls settlements;
    final PublishCalls publications;
    final MaintainCalls upkeep;
    final NodeCalls workers;
    final OperateCalls operations;
    final JobOperations api;

    private final Connection connection;
    private UUID workerId = UUID.randomUUID();

    private Session(Connection connection) {
        this.connection = connection;
        Sql sql = Sql.apart(new SingleConnectionDataSource(connection, true), SCHEMA);
        this.claims = new ClaimCalls(sql);
        this.reports = new ReportCalls(sql);
        this.settlements = new SettleCalls(sql);
        this.publications = new PublishCalls(sql);
        this.upkeep = new MaintainCalls(sql);
        this.workers = new NodeCalls(sql);
        this.operations = new OperateCalls(sql);
        this.api = QueueFixture.api(sql);
    }

    static TestDatabase database() {
        return CheckedQueue.create();
    }

    static Session open(TestDatabase database) throws SQLException {
        return new Session(database.connect());
    }

    UUID workerId() {
        return workerId;
    }

    /** Goes on as another worker, as a node does that was declared dead. */
    void becomeAnotherWorker() {
        workerId = UUID.randomUUID();
    }

    UUID publish() {
        return publish(1).get(0);
    }

    List<UUID> publish(int count) {
        return publications.publish(
                Stream.generate(() -> NewJobs.of(Uuids.next(), "test", "{}"))
                        .limit(count)
                        .toList(),
                false);
    }

    List<ClaimedJob> claim(int limit) {
        return claims.claim(workerId, Map.of(QUEUE, limit), null);
    }

    List<UUID> claimIds(int limit) {
        return claim(limit).stream().map(job -> job.lease().id()).toList();
    }

    /** Returns those that were refused. */
    List<UUID> complete(List<JobLease> claims) {
        return settlements.completeAll(claims.stream()
                .map(lease -> new SettleCalls.Completion(lease, null))
                .toList());
    }

    void execute(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            statement.execute();
        }
    }

    long number(String sql, Object... parameters) throws SQLException {
        return this.<Number>column(sql, parameters).get(0).longValue();
    }

    /** How many pages the statement looked at, in the buffers or on disk; it is executed. */
    long buffers(String sql, Object... parameters) throws SQLException {
        String plan = this.column("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + sql, parameters)
                .get(0)
                .toString();
        // The first of each belongs to the outermost node, which counts those below it in.
        return first(BUFFERS_HIT, plan) + first(BUFFERS_READ, plan);
    }

    private static long first(Pattern pattern, String plan) {
        Matcher matcher = pattern.matcher(plan);
        if (!matcher.find()) {
            throw new IllegalStateException("No '%s' in %s".formatted(pattern, plan));
        }
        return Long.parseLong(matcher.group(1));
    }

    @SuppressWarnings("unchecked")
    <T> List<T> column(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet results = statement.executeQuery()) {
            List<T> values = new ArrayList<>();
            while (results.next()) {
                values.add((T) results.getObject(1));
            }
            return values;
        }
    }

    /** What the server says to the client while the statement runs. */
    List<String> notices(String sql) throws SQLException {
        try (PreparedStatement statement = prepare(sql)) {
            statement.execute();
            List<String> notices = new ArrayList<>();
            for (SQLWarning notice = statement.getWarnings(); notice != null; notice = notice.getNextWarning()) {
                notices.add(notice.getMessage());
            }
            return notices;
        }
    }

    private PreparedStatement prepare(String sql, Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setObject(i + 1, parameters[i]);
        }
        return statement;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
