package dev.jobqueue.internal.schedule;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.schedule.Schedule.Origin;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A database with the queue in it, and what tests of schedules do with it. */
final class ScheduleDatabase {

    private static final Schema SCHEMA = new Schema("queue");

    final JdbcClient jdbc;
    final ScheduleCalls schedules;
    private final TestDatabase database = CheckedQueue.create();

    ScheduleDatabase() {
        DataSource dataSource = database.dataSource();
        this.jdbc = JdbcClient.create(dataSource);
        this.schedules = new ScheduleCalls(Sql.apart(dataSource, SCHEMA));
    }

    /** A scheduler of a node of its own, with one connection, that never looks but when it is due or woken. */
    Scheduler scheduler(QueueEvents events, @Nullable String application) {
        DataSource own = new SingleConnectionDataSource(connect(), true);
        return new Scheduler(
                new ScheduleCalls(Sql.joining(own, SCHEMA), application),
                new TransactionTemplate(new JdbcTransactionManager(own)),
                () -> Duration.ofHours(1),
                queues -> {},
                events);
    }

    Connection connect() {
        try {
            return database.connect();
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    boolean set(String name, String cron) {
        return set(name, cron, Misfire.ONCE, Overlap.ALLOW);
    }

    boolean set(String name, String cron, Misfire misfire, Overlap overlap) {
        return schedules.set(schedule(name, cron, null, "{}", misfire, overlap, Origin.API, null));
    }

    static NewSchedule schedule(
            String name,
            @Nullable String cron,
            @Nullable Duration every,
            String payload,
            Misfire misfire,
            Overlap overlap,
            Origin origin,
            @Nullable String owner) {
        return new NewSchedule(
                name, "tick", payload, cron, every, "UTC", null, 0, misfire, overlap, null, null, null, origin, owner);
    }

    /** Makes it look as if its next run had been due so long ago. */
    void wasDue(String name, Duration ago) {
        jdbc.sql("UPDATE queue.schedule SET next_run_at = date_trunc('second', clock_timestamp()) - ? *"
                        + " interval '1 second'"
                        + " WHERE name = ?")
                .params(ago.toSeconds(), name)
                .update();
    }

    Schedule find(String name) {
        return schedules.find(name).get(0);
    }

    /** The first due time since the last run that passed without one. */
    @Nullable
    Instant unmetSince(String name) {
        return jdbc.sql("SELECT unmet_since FROM queue.schedule WHERE name = ?")
                .param(name)
                .query((row, number) -> Optional.ofNullable(row.getObject(1, OffsetDateTime.class)))
                .single()
                .map(OffsetDateTime::toInstant)
                .orElse(null);
    }

    /** The due times its jobs carry, in order, of all jobs wherever they are. */
    List<Instant> firedTimes(String name) {
        return jdbc
                .sql("SELECT (headers ->> 'schedule-time')::timestamptz FROM (SELECT headers FROM queue.live_job"
                        + " UNION ALL SELECT headers FROM queue.job_history) j WHERE headers ->>"
                        + " 'schedule' = ? ORDER BY 1")
                .param(name)
                .query(OffsetDateTime.class)
                .list()
                .stream()
                .map(OffsetDateTime::toInstant)
                .toList();
    }

    /** Goes back to an empty database. */
    void clear() {
        jdbc.sql("TRUNCATE queue.schedule, queue.job, queue.ready, queue.scheduled, queue.lease, queue.job_history")
                .update();
        jdbc.sql("SELECT queue.configure(max_payload_bytes => 1048576)").query().listOfRows();
    }

    long jobs() {
        return jdbc.sql("SELECT count(*) FROM queue.live_job").query(Long.class).single();
    }
}
