package dev.jobqueue.internal.schedule;

import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.schedule.Schedule.Origin;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The SQL functions of schedules: what applications and operators change, and what the node needs that fires them. */
public final class ScheduleCalls {

    private static final String MILLIS = "? * interval '1 millisecond'";

    private final Sql sql;
    private final @Nullable String owner;
    private final String set;
    private final String find;
    private final String due;
    private final String fire;
    private final String next;

    /** For whoever is no node of an application with a name. */
    public ScheduleCalls(Sql sql) {
        this(sql, null);
    }

    /**
     * The calls of a node.
     *
     * @param owner the name of its application, whose schedules it fires beside those without an owner
     */
    public ScheduleCalls(Sql sql, @Nullable String owner) {
        this.sql = sql;
        this.owner = owner;
        this.set = sql.call("set_schedule(?, ?, ?, ?, " + MILLIS + ", ?, coalesce(?, 'default'), ?, ?, ?, ?::jsonb, ?, "
                + MILLIS + ", ?, ?)");
        this.find = "SELECT *, extract(epoch FROM every) * 1000 AS every_ms FROM "
                + sql.schema().qualified("find_schedules(?)");
        this.due = sql.call("due_schedules(?, ?)");
        this.fire = sql.call("fire_schedules(?, ?, ?, ?, ?, ?, ?)");
        this.next = "SELECT ceil(extract(epoch FROM due - clock_timestamp()) * 1000)::bigint FROM "
                + sql.schema().qualified("next_schedule(?) AS due");
    }

    /** The transaction that changes join. */
    public CallersTransaction callersTransaction() {
        return sql.callersTransaction();
    }

    /** Creates or changes a schedule; {@code false} if it was as given already. */
    public boolean set(NewSchedule schedule) {
        return sql.queryOne(set, statement -> bind(statement, schedule), results -> results.getBoolean(1));
    }

    public boolean delete(String name) {
        return sql.queryOne(
                sql.call("delete_schedule(?)"),
                statement -> statement.setString(1, name),
                results -> results.getBoolean(1));
    }

    public void pause(String name) {
        sql.run(sql.call("pause_schedule(?)"), statement -> statement.setString(1, name));
    }

    public void resume(String name) {
        sql.run(sql.call("resume_schedule(?)"), statement -> statement.setString(1, name));
    }

    /** Publishes a job of the schedule at once. */
    public UUID runNow(String name) {
        return sql.queryOne(
                sql.call("run_schedule_now(?)"),
                statement -> statement.setString(1, name),
                results -> results.getObject(1, UUID.class));
    }

    /** Retires what the owner defined in code or configuration, except for these. */
    public List<String> retire(String owner, Collection<String> keep) {
        return sql.query(
                sql.call("retire_schedules(?, ?)"),
                statement -> {
                    statement.setString(1, owner);
                    Arrays.bindTexts(statement, 2, keep);
                },
                results -> results.getString(1));
    }

    /** The schedule of that name, or all. */
    public List<Schedule> find(@Nullable String name) {
        return sql.query(find, statement -> statement.setString(1, name), ScheduleCalls::readSchedule);
    }

    /** Locks schedules that are due, until the end of the transaction. */
    public List<DueSchedule> due(int max) {
        return sql.query(
                due,
                statement -> {
                    statement.setInt(1, max);
                    statement.setString(2, owner);
                },
                results -> new DueSchedule(
                        results.getString("name"),
                        results.getString("cron"),
                        millis(results, "every_ms"),
                        results.getString("zone"),
                        Misfire.valueOf(results.getString("misfire")),
                        instant(results, "next_run_at"),
                        results.getObject("counted_from", OffsetDateTime.class).toInstant(),
                        results.getObject("clock", OffsetDateTime.class).toInstant()));
    }

    /** Publishes the jobs of due schedules and notes when each is due next. */
    public List<Fired> fire(List<ScheduleRun> runs) {
        List<Fire> fires = runs.stream()
                .flatMap(run ->
                        run.fireAts().stream().map(at -> new Fire(run.due().name(), at)))
                .toList();
        return sql.query(
                fire,
                statement -> {
                    Arrays.bind(statement, 1, "text", runs, run -> run.due().name());
                    Arrays.bind(
                            statement,
                            2,
                            "timestamptz",
                            runs,
                            run -> text(run.due().nextRunAt()));
                    Arrays.bind(statement, 3, "timestamptz", runs, run -> text(run.next()));
                    Arrays.bind(statement, 4, "int4", runs, ScheduleRun::missed);
                    Arrays.bind(statement, 5, "text", runs, ScheduleRun::problem);
                    Arrays.bind(statement, 6, "text", fires, Fire::name);
                    Arrays.bind(statement, 7, "timestamptz", fires, each -> text(each.at()));
                },
                results -> new Fired(
                        results.getString("name"),
                        results.getString("type"),
                        results.getString("queue"),
                        results.getObject("job_id", UUID.class),
                        Duration.ofMillis(Math.max(0, results.getLong("lag_ms")))));
    }

    /**
     * How long it is until the next is due, by the database's clock; zero if some are due, nothing if there is none.
     */
    public Optional<Duration> untilNext() {
        return sql.queryOne(next, statement -> statement.setString(1, owner), results -> {
            long millis = results.getLong(1);
            return results.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
        });
    }

    /** When the next is due; the time by the database's clock if some are, nothing if there is none. */
    public Optional<Instant> nextDue() {
        return sql.queryOne(
                sql.call("next_schedule(?)"),
                statement -> statement.setString(1, owner),
                results -> Optional.ofNullable(results.getObject(1, OffsetDateTime.class))
                        .map(OffsetDateTime::toInstant));
    }

    private static void bind(PreparedStatement statement, NewSchedule schedule) throws SQLException {
        statement.setString(1, schedule.name());
        statement.setString(2, schedule.type());
        statement.setString(3, schedule.payload());
        statement.setString(4, schedule.cron());
        setMillis(statement, 5, schedule.every());
        statement.setString(6, schedule.zone());
        statement.setString(7, schedule.queue());
        statement.setInt(8, schedule.priority());
        statement.setString(9, schedule.misfire().name());
        statement.setString(10, schedule.overlap().name());
        statement.setString(11, schedule.headers());
        statement.setObject(12, schedule.maxAttempts(), Types.INTEGER);
        setMillis(statement, 13, schedule.timeout());
        statement.setString(14, schedule.origin().name());
        statement.setString(15, schedule.owner());
    }

    private static void setMillis(PreparedStatement statement, int index, @Nullable Duration duration)
            throws SQLException {
        statement.setObject(index, duration == null ? null : Spans.toMillis(duration), Types.BIGINT);
    }

    private static Schedule readSchedule(ResultSet results) throws SQLException {
        return new Schedule(
                results.getString("name"),
                results.getString("type"),
                results.getString("payload"),
                results.getString("queue"),
                results.getInt("priority"),
                results.getString("cron"),
                millis(results, "every_ms"),
                results.getString("zone"),
                Misfire.valueOf(results.getString("misfire")),
                Overlap.valueOf(results.getString("overlap")),
                Origin.valueOf(results.getString("origin")),
                results.getString("owner"),
                results.getObject("paused_at") != null,
                results.getObject("retired_at") != null,
                results.getString("problem"),
                instant(results, "next_run_at"),
                instant(results, "last_run_at"),
                results.getObject("last_job_id", UUID.class),
                results.getLong("fired"),
                results.getLong("skipped"),
                results.getLong("missed"));
    }

    private static @Nullable Duration millis(ResultSet results, String column) throws SQLException {
        long millis = results.getLong(column);
        return results.wasNull() ? null : Duration.ofMillis(millis);
    }

    private static @Nullable Instant instant(ResultSet results, String column) throws SQLException {
        OffsetDateTime time = results.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    private static @Nullable String text(@Nullable Instant instant) {
        return instant == null ? null : instant.atOffset(ZoneOffset.UTC).toString();
    }

    private record Fire(String name, Instant at) {}

    /** A run that was published; without a job if it was left out because the last one had not ended. */
    public record Fired(
            String name,
            String type,
            String queue,
            @Nullable UUID jobId,
            Duration lag) {}
}
