package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.settle.JobLease;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The SQL functions through which a running handler reports. */
public final class ReportCalls {

    private final Sql sql;
    private final String extend;
    private final String progress;
    private final String log;
    private final String saveStep;

    public ReportCalls(Sql sql) {
        this.sql = sql;
        this.extend = sql.call("extend(?, ?, ? * interval '1 millisecond')");
        this.progress = sql.hastyCall("progress(?, ?, ?, ?)");
        this.log = sql.hastyCall("log(?, ?, ?, ?)");
        this.saveStep = sql.waiting("SELECT r.result::text FROM (SELECT ?::jsonb AS result) AS r CROSS JOIN LATERAL "
                + sql.schema().qualified("save_step(?, ?, ?, r.result)"));
    }

    /** Lets the attempt run for this long from now; returns when it will time out. */
    public Instant extend(JobLease lease, Duration timeout) {
        return sql.queryOne(
                extend,
                statement -> {
                    lease.bind(statement);
                    statement.setLong(3, Spans.toMillis(timeout));
                },
                results -> results.getObject(1, OffsetDateTime.class).toInstant());
    }

    public void progress(JobLease lease, int percent, @Nullable String stage) {
        sql.run(progress, statement -> {
            lease.bind(statement);
            statement.setInt(3, percent);
            statement.setString(4, stage);
        });
    }

    public void log(JobLease lease, String level, String message) {
        sql.run(log, statement -> {
            lease.bind(statement);
            statement.setString(3, level);
            statement.setString(4, message);
        });
    }

    /** Whether the transaction of the caller sees what others commit, such as a report that is sent apart from it. */
    boolean seesCommits() {
        return sql.seesCommits();
    }

    /** JSON as {@link #saveStep} would return it; unchanged on a thread that has no part in the transaction. */
    String asStored(String json) {
        return sql.joinsTransaction()
                ? sql.queryOne(
                        "SELECT ?::jsonb::text",
                        statement -> statement.setString(1, json),
                        results -> results.getString(1))
                : json;
    }

    /** Stores the result of a step and returns its JSON as it is stored: as later attempts will get it. */
    public String saveStep(JobLease lease, String step, @Nullable String result) {
        return sql.queryOne(
                saveStep,
                statement -> {
                    statement.setString(1, result);
                    statement.setObject(2, lease.id());
                    statement.setLong(3, lease.number());
                    statement.setString(4, step);
                },
                results -> Objects.requireNonNullElse(results.getString(1), "null"));
    }
}
