package dev.jobqueue.internal.operate;

import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.ReportCalls;
import dev.jobqueue.internal.node.NodeCalls;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A migrated database, all that can be done to its jobs, and all that looks at them. */
final class ObservedQueue {

    static final Duration TTL = Duration.ofSeconds(20);

    final TestDatabase database;
    final JdbcClient jdbc;
    final PublishCalls publications;
    final ClaimCalls claims;
    final ReportCalls reports;
    final SettleCalls settlements;
    final NodeCalls workers;
    final OperateCalls operations;
    final FigureReader figures;
    final JobReader jobs;
    final QueueOperations api;
    final UUID worker = UUID.randomUUID();

    private ObservedQueue(TestDatabase database) {
        this.database = database;
        Schema schema = new Schema("queue");
        DataSource connection = connect(database);
        Sql sql = Sql.apart(connection, schema);
        this.jdbc = JdbcClient.create(connection);
        this.publications = new PublishCalls(sql);
        this.claims = new ClaimCalls(sql);
        this.reports = new ReportCalls(sql);
        this.settlements = new SettleCalls(sql);
        this.workers = new NodeCalls(sql);
        this.operations = new OperateCalls(sql);
        this.figures = new FigureReader(sql);
        Json json = new Json(Json.defaultMapper());
        this.jobs = new JobReader(sql, json);
        this.api = new QueueOperations(sql, json, QueueEvents.NONE, TTL, 10_000);
    }

    /** One connection for all: opening one takes longer than most statements. */
    private static DataSource connect(TestDatabase database) {
        try {
            return new SingleConnectionDataSource(database.connect(), true);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    static ObservedQueue create() {
        return new ObservedQueue(CheckedQueue.create());
    }

    UUID publish(String queue, String type) {
        return publish(queue, type, 0, null);
    }

    UUID publish(String queue, String type, int priority, Duration delay) {
        NewJob job = NewJobs.with(Uuids.next(), type, "{\"secret\": 1}")
                .queue(queue)
                .priority(priority)
                .delay(delay)
                .build();
        return publications.publish(List.of(job), false).get(0);
    }

    /** A job that no claim takes, because its lane is closed. */
    void publishLimited(String queue, String type) {
        jdbc.sql("SELECT queue.set_limit('shut', running => 1)").query().listOfRows();
        jdbc.sql("SELECT queue.close_lane('shut', '', now() + interval '1 day')")
                .query()
                .listOfRows();
        jdbc.sql("SELECT queue.publish(?, '{}', ?, limits => '{\"shut\": \"\"}')")
                .params(type, queue)
                .query()
                .listOfRows();
    }

    List<UUID> publish(int count, String queue, String type) {
        return IntStream.range(0, count).mapToObj(i -> publish(queue, type)).toList();
    }

    /** A node that lives and says what it handles. */
    void beat(List<String> queues, List<String> types) {
        workers.heartbeat(new Registration(worker, "host", 1, "1", queues, types), List.of());
    }

    List<ClaimedJob> claim(String queue, int limit) {
        return claims.claim(worker, Map.of(queue, limit), null);
    }

    /** Publishes a job and lets it die. */
    UUID die(String queue, String type) {
        UUID id = publish(queue, type);
        ClaimedJob claimed = claim(queue, 1).get(0);
        jdbc.sql("SELECT queue.fail(?, ?, 'Boom: it broke' || chr(10) || 'at line 2', false)")
                .params(claimed.lease().id(), claimed.lease().number())
                .query()
                .listOfRows();
        return id;
    }

    void complete(ClaimedJob job) {
        settlements.complete(job.lease(), "{\"answer\": 42}");
    }

    void clear() {
        for (String table : List.of(
                "job",
                "ready",
                "scheduled",
                "waiting",
                "turn",
                "hung",
                "held",
                "lease",
                "dead_letter",
                "job_history",
                "worker",
                "queue",
                "job_step",
                "job_event")) {
            jdbc.sql("DELETE FROM queue." + table).update();
        }
    }
}
