package dev.jobqueue.internal.publish;

import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.Sql;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Inserts jobs, in the caller's transaction if there is one. */
public final class PublishCalls {

    private final Sql sql;
    private final String publish;
    private final String publishOnce;
    private final String channel;

    public PublishCalls(Sql sql) {
        this.sql = sql;
        this.publish = sql.call("publish_many(ids => ?, types => ?, payloads => ?, queues => ?, priorities => ?,"
                + " run_ats => ?, delays_ms => ?, max_attempts => ?, timeouts_ms => ?, unique_keys => ?, headers => ?,"
                + " given_ids => ?, notify => ?, worker_id => ?, leases => ?, limits => ?, flows => ?)");
        this.publishOnce =
                sql.call("publish_with_outcome(ids => ?, types => ?, payloads => ?, queues => ?, priorities => ?,"
                        + " run_ats => ?, delays_ms => ?, max_attempts => ?, timeouts_ms => ?, unique_keys => ?,"
                        + " headers => ?, given_ids => ?, notify => ?, unique_for_ms => ?, on_conflicts => ?,"
                        + " max_delays_ms => ?, limits => ?)");
        this.channel = sql.schema().name();
    }

    /** The transaction that publishing joins. */
    public CallersTransaction callersTransaction() {
        return sql.callersTransaction();
    }

    /** Returns these calls with a limit on how long they wait for somebody who publishes the same key or id. */
    PublishCalls waitingForLocks(Duration most) {
        return new PublishCalls(sql.waitingForLocks(most));
    }

    /** Whether the caller has a connection to publish with. */
    boolean hasConnection() {
        return sql.hasConnection();
    }

    /**
     * Publishes all of the jobs or none, and returns their ids in order.
     *
     * @param notifies whether other nodes are told at commit, within the transaction
     */
    public List<UUID> publish(List<NewJob> jobs, boolean notifies) {
        return publish(jobs, notifies, null);
    }

    /**
     * Publishes jobs, some of which a worker takes with the commit.
     *
     * @param leases the leases of those jobs; {@code null} if there are none
     */
    public List<UUID> publish(List<NewJob> jobs, boolean notifies, @Nullable DirectLeases leases) {
        return publishWithOutcome(jobs, notifies, leases).stream()
                .map(PublishResult::id)
                .toList();
    }

    /** The same, and tells what became of each job. */
    public List<PublishResult> publishWithOutcome(List<NewJob> jobs, boolean notifies, @Nullable DirectLeases leases) {
        if (jobs.stream().anyMatch(NewJob::mayWaitForOthers)) {
            return publishOnce(jobs, notifies);
        }
        return sql.query(
                publish,
                statement -> {
                    bind(statement, jobs);
                    statement.setBoolean(12, false);
                    statement.setBoolean(13, notifies);
                    bind(statement, leases);
                    Arrays.bind(statement, 16, "text", jobs, NewJob::limits);
                    Arrays.bind(statement, 17, "uuid", jobs, NewJob::batch);
                },
                results -> new PublishResult(results.getObject(1, UUID.class), Outcome.NEW));
    }

    /** No worker takes these: they may be there already. */
    private List<PublishResult> publishOnce(List<NewJob> jobs, boolean notifies) {
        boolean givenIds = jobs.stream().anyMatch(NewJob::givenId);
        return sql.query(
                publishOnce,
                statement -> {
                    bind(statement, jobs);
                    statement.setBoolean(12, givenIds);
                    statement.setBoolean(13, notifies);
                    Arrays.bind(
                            statement,
                            14,
                            "int8",
                            jobs,
                            job -> millis(job.uniqueRules().uniqueFor()));
                    Arrays.bind(
                            statement,
                            15,
                            "text",
                            jobs,
                            job -> job.uniqueRules().onConflictName());
                    Arrays.bind(
                            statement,
                            16,
                            "int8",
                            jobs,
                            job -> millis(job.uniqueRules().maxDelay()));
                    Arrays.bind(statement, 17, "text", jobs, NewJob::limits);
                },
                results -> new PublishResult(results.getObject(1, UUID.class), Outcome.valueOf(results.getString(2))));
    }

    /** Tells the workers of other nodes that these queues have jobs. */
    public void wake(Collection<String> queues) {
        sql.run(Sql.hasty("unnest(?)", "pg_notify(?, called)"), statement -> {
            statement.setString(1, channel);
            Arrays.bindTexts(statement, 2, queues);
        });
    }

    private static void bind(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        Arrays.bind(statement, 1, "uuid", jobs, NewJob::id);
        Arrays.bind(statement, 2, "text", jobs, NewJob::type);
        Arrays.bind(statement, 3, "text", jobs, NewJob::payload);
        Arrays.bind(statement, 4, "text", jobs, NewJob::queueUnlessDefault);
        Arrays.bind(statement, 5, "int4", jobs, job -> job.priority() == 0 ? null : job.priority());
        Arrays.bind(statement, 6, "timestamptz", jobs, PublishCalls::runAt);
        Arrays.bind(statement, 7, "int8", jobs, job -> millis(job.delay()));
        Arrays.bind(statement, 8, "int4", jobs, NewJob::maxAttempts);
        Arrays.bind(statement, 9, "int8", jobs, job -> millis(job.timeout()));
        Arrays.bind(statement, 10, "text", jobs, NewJob::uniqueKey);
        Arrays.bind(statement, 11, "text", jobs, NewJob::headers);
    }

    private static void bind(PreparedStatement statement, @Nullable DirectLeases leases) throws SQLException {
        if (leases == null) {
            statement.setNull(14, Types.OTHER);
            statement.setNull(15, Types.ARRAY, "_int8");
        } else {
            statement.setObject(14, leases.workerId());
            Arrays.bind(statement, 15, "int8", leases.numbers(), number -> number);
        }
    }

    private static @Nullable Object runAt(NewJob job) {
        return job.runAt() == null ? null : job.runAt().atOffset(ZoneOffset.UTC).toString();
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : Spans.toMillis(duration);
    }
}
