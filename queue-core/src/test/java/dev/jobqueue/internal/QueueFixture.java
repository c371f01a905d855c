package dev.jobqueue.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.ReportCalls;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.internal.operate.QueueOperations;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Collectors;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A migrated database of its own, on one connection, and the calls that every test makes. */
public final class QueueFixture {

    public static final Schema SCHEMA = new Schema("queue");

    public final TestDatabase database = CheckedQueue.create();
    public final Sql sql;
    public final PublishCalls publications;
    public final ClaimCalls claims;
    public final ReportCalls reports;
    public final SettleCalls settlements;
    public final OperateCalls operations;
    public final QueueOperations api;
    public final MaintainCalls upkeep;
    public final NodeCalls workers;

    private final JdbcClient client;
    private final String everyRow;

    public QueueFixture() {
        SingleConnectionDataSource dataSource = connect();
        sql = Sql.joining(dataSource, SCHEMA);
        publications = new PublishCalls(sql);
        claims = new ClaimCalls(sql);
        reports = new ReportCalls(sql);
        settlements = new SettleCalls(sql);
        operations = new OperateCalls(sql);
        api = api(sql);
        upkeep = new MaintainCalls(sql);
        workers = new NodeCalls(sql);
        client = JdbcClient.create(dataSource);
        everyRow = tables().stream()
                .map(table -> "SELECT '%1$s ' || t::text FROM queue.%1$s t".formatted(table))
                .collect(Collectors.joining(" UNION ALL ", "", " ORDER BY 1"));
    }

    /** What applications have, as the given session sees it. */
    public static QueueOperations api(Sql sql) {
        return new QueueOperations(
                sql, new Json(Json.defaultMapper()), QueueEvents.NONE, Duration.ofSeconds(20), 10_000);
    }

    /** A connection for one test class, on which no statement goes on for ever. */
    public SingleConnectionDataSource connect() {
        Properties properties = new Properties();
        properties.setProperty("user", database.username());
        properties.setProperty("password", database.password());
        properties.setProperty("options", "-c statement_timeout=30s");
        SingleConnectionDataSource dataSource = new SingleConnectionDataSource(database.jdbcUrl(), true);
        dataSource.setConnectionProperties(properties);
        return dataSource;
    }

    /** The tables of the queue, partitions as part of their parent. */
    public List<String> tables() {
        return list(
                String.class,
                "SELECT relname FROM pg_class WHERE relnamespace = 'queue'::regnamespace AND relkind IN ('r', 'p')"
                        + " AND NOT relispartition ORDER BY 1");
    }

    /** Empties the queue, as a new one is. */
    public void reset() {
        client.sql("RESET ALL").update();
        tables().stream()
                .filter(table -> !List.of("job_state", "setting", "epoch").contains(table))
                .forEach(table -> client.sql("DELETE FROM queue." + table).update());
        client.sql("DELETE FROM queue.setting").update();
        client.sql("INSERT INTO queue.setting DEFAULT VALUES").update();
    }

    /** Publishes a job of type "mail" with further arguments as SQL: {@code "priority => 5, max_attempts => 1"}. */
    public UUID publish(String... arguments) {
        String further =
                Arrays.stream(arguments).map(argument -> ", " + argument).collect(Collectors.joining());
        return one(UUID.class, "SELECT queue.publish(type => 'mail', payload => '{\"to\": \"a\"}'" + further + ")");
    }

    /** Claims the one job that is due in the default queue, for a worker of its own. */
    public ClaimedJob claim() {
        List<ClaimedJob> claimed = claim(UUID.randomUUID(), 1);
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    public List<ClaimedJob> claim(UUID workerId, int limit) {
        return claims.claim(workerId, Map.of("default", limit), null);
    }

    /** Publishes, and claims what was published. */
    public JobLease claimNew(String... arguments) {
        UUID id = publish(arguments);
        JobLease lease = claim().lease();
        assertThat(lease.id()).isEqualTo(id);
        return lease;
    }

    /** Publishes, claims and fails for good. */
    public UUID publishDead(String error, String... arguments) {
        JobLease lease = claimNew(arguments);
        settlements.failAll(List.of(new SettleCalls.Failure(lease, error, false)));
        return lease.id();
    }

    /** As if the worker of every running job had been silent for an hour. */
    public void silenceWorkers() {
        execute("UPDATE queue.worker SET beat_at = beat_at - interval '1 hour'");
        execute("UPDATE queue.lease SET claimed_at = claimed_at - interval '1 hour'");
    }

    /** As if an hour had gone by for every job that is scheduled. */
    public void letAnHourPass() {
        moveScheduled("run_at - interval '1 hour'");
    }

    /** Makes every scheduled job due at this moment, and pending. */
    public void promoteAll() {
        moveScheduled("now()");
        upkeep.promote(10_000);
    }

    private void moveScheduled(String runAt) {
        execute("WITH moved AS (UPDATE queue.scheduled SET run_at = %s RETURNING id, run_at)".formatted(runAt)
                + " UPDATE queue.job SET run_at = moved.run_at FROM moved WHERE job.id = moved.id");
    }

    /** As if all pending jobs that fulfil the condition had been published so long before. */
    public void makeOlder(String interval, String condition) {
        execute("WITH older AS (UPDATE queue.job SET created_at = created_at - interval '%1$s',".formatted(interval)
                + " run_at = run_at - interval '%s' WHERE %s RETURNING id, run_at)".formatted(interval, condition)
                + " UPDATE queue.ready SET run_at = older.run_at FROM older WHERE ready.id = older.id");
    }

    /** As if all running jobs had been claimed so long before. */
    public void claimedEarlierBy(String interval) {
        execute(("UPDATE queue.lease SET claimed_at = claimed_at - interval '%1$s', timeout_at = timeout_at -"
                        + " interval '%1$s'")
                .formatted(interval));
    }

    /** Expects that each live job stands in one place. */
    public void audit() throws SQLException {
        Places.audit(database);
    }

    public JobState stateOf(UUID id) {
        return JobState.valueOf(one(
                String.class,
                "SELECT state FROM queue.live_job WHERE id = :id UNION ALL SELECT state FROM queue.job_history"
                        + " WHERE id = :id"
                        + " UNION ALL SELECT 'DEAD' FROM queue.dead_letter WHERE id = :id",
                Map.of("id", id)));
    }

    /** The job's row, as long as it is live. */
    public Map<String, Object> job(UUID id) {
        return row("SELECT * FROM queue.live_job WHERE id = ?", id);
    }

    public Map<String, Object> history(UUID id) {
        return row("SELECT * FROM queue.job_history WHERE id = ?", id);
    }

    public Map<String, Object> deadLetter(UUID id) {
        return row("SELECT * FROM queue.dead_letter WHERE id = ?", id);
    }

    public Instant clock() {
        return one(Instant.class, "SELECT clock_timestamp()");
    }

    /** Calls a function as psql would, with the errors of the queue translated. */
    public void call(String call) {
        sql.run(sql.call(call), statement -> {});
    }

    /** Expects that the call is refused and that not one row of any table is another than before. */
    public AbstractThrowableAssert<?, ? extends Throwable> refuses(
            Class<? extends JobQueueException> exception, ThrowingCallable call) {
        List<String> before = everyRow();
        AbstractThrowableAssert<?, ? extends Throwable> refusal = assertThatThrownBy(call);
        refusal.isExactlyInstanceOf(exception);
        assertThat(everyRow()).isEqualTo(before);
        return refusal;
    }

    public List<String> everyRow() {
        return list(String.class, everyRow);
    }

    public Map<String, Object> row(String statement, Object... parameters) {
        return client.sql(statement).params(parameters).query().singleRow();
    }

    public <T> T one(Class<T> type, String statement, Object... parameters) {
        return client.sql(statement).params(parameters).query(type).single();
    }

    public <T> T one(Class<T> type, String statement, Map<String, ?> parameters) {
        return client.sql(statement).params(parameters).query(type).single();
    }

    public <T> List<T> list(Class<T> type, String statement, Object... parameters) {
        return client.sql(statement).params(parameters).query(type).list();
    }

    public void execute(String statement, Object... parameters) {
        client.sql(statement).params(parameters).update();
    }
}
