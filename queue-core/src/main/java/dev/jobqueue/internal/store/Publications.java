package dev.jobqueue.internal.store;

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
public final class Publications {

    private final Sql sql;
    private final String insertOne;
    private final String publishPlain;
    private final String publishMany;
    private final String channel;

    public Publications(Sql sql) {
        this.sql = sql;
        this.insertOne = "INSERT INTO " + sql.schema().qualified("new_job")
                + " (id, type, payload, queue, priority, headers) VALUES (?, ?, ?, ?, ?, ?)";
        this.publishPlain =
                sql.scalarCall("publish_plain(?::uuid[], ?::text[], ?::text[], ?::text[], ?::int4[], ?::text[], ?)");
        this.publishMany = sql.call("publish_many(ids => ?, types => ?, payloads => ?, queues => ?, priorities => ?,"
                + " run_ats => ?, delays_ms => ?, max_attempts => ?, timeouts_ms => ?, unique_keys => ?, headers => ?,"
                + " given_ids => ?, notify => ?)");
        this.channel = sql.schema().name();
    }

    /**
     * Publishes all of the jobs or none, and returns their ids in order.
     *
     * @param notifies whether other nodes are told at commit, within the transaction
     */
    public List<UUID> publish(List<NewJob> jobs, boolean notifies) {
        if (jobs.size() == 1 && !notifies && jobs.get(0).isOrdinary()) {
            insert(jobs.get(0));
        } else if (jobs.stream().allMatch(NewJob::isPlain)) {
            publishPlain(jobs, notifies);
        } else {
            return publishAny(jobs, notifies);
        }
        return jobs.stream().map(NewJob::id).toList();
    }

    private void insert(NewJob job) {
        sql.insert(insertOne, statement -> {
            statement.setObject(1, job.id());
            statement.setString(2, job.type());
            // not as texts, which the server would have to convert
            statement.setObject(3, job.payload(), Types.OTHER);
            statement.setString(4, job.queueName());
            statement.setInt(5, job.priority());
            statement.setObject(6, job.headers() == null ? "{}" : job.headers(), Types.OTHER);
        });
    }

    private void publishPlain(List<NewJob> jobs, boolean notifies) {
        sql.run(publishPlain, statement -> {
            bindPlain(statement, jobs);
            Arrays.bind(statement, 6, "text", jobs, NewJob::headers);
            statement.setBoolean(7, notifies);
        });
    }

    private List<UUID> publishAny(List<NewJob> jobs, boolean notifies) {
        boolean givenIds = jobs.stream().anyMatch(NewJob::givenId);
        return sql.query(
                publishMany,
                statement -> {
                    bindPlain(statement, jobs);
                    bindRest(statement, jobs);
                    statement.setBoolean(12, givenIds);
                    statement.setBoolean(13, notifies);
                },
                results -> results.getObject(1, UUID.class));
    }

    /** Tells the workers of other nodes that these queues have jobs. */
    public void wake(Collection<String> queues) {
        sql.run(Sql.hasty("unnest(?)", "pg_notify(?, called)"), statement -> {
            statement.setString(1, channel);
            Arrays.bindTexts(statement, 2, queues);
        });
    }

    private static void bindPlain(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        Arrays.bind(statement, 1, "uuid", jobs, NewJob::id);
        Arrays.bind(statement, 2, "text", jobs, NewJob::type);
        Arrays.bind(statement, 3, "text", jobs, NewJob::payload);
        Arrays.bind(statement, 4, "text", jobs, NewJob::queueUnlessDefault);
        Arrays.bind(statement, 5, "int4", jobs, job -> job.priority() == 0 ? null : job.priority());
    }

    private static void bindRest(PreparedStatement statement, List<NewJob> jobs) throws SQLException {
        Arrays.bind(statement, 6, "timestamptz", jobs, Publications::runAt);
        Arrays.bind(statement, 7, "int8", jobs, job -> millis(job.delay()));
        Arrays.bind(statement, 8, "int4", jobs, NewJob::maxAttempts);
        Arrays.bind(statement, 9, "int8", jobs, job -> millis(job.timeout()));
        Arrays.bind(statement, 10, "text", jobs, NewJob::uniqueKey);
        Arrays.bind(statement, 11, "text", jobs, NewJob::headers);
    }

    private static @Nullable Object runAt(NewJob job) {
        return job.runAt() == null ? null : job.runAt().atOffset(ZoneOffset.UTC).toString();
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
