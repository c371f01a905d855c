package dev.jobqueue.internal.store;

import dev.jobqueue.JobState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What keeps the queue going: any node may do it, at any time. */
public final class Upkeep {

    private final Sql sql;
    private final String promote;
    private final String rescue;
    private final String prune;

    public Upkeep(Sql sql) {
        this.sql = sql;
        this.promote = "SELECT ceil(extract(epoch FROM due - clock_timestamp()) * 1000)::bigint FROM "
                + sql.schema().qualified("promote(?) AS due");
        this.rescue = sql.call("rescue(? * interval '1 millisecond', ? * interval '1 millisecond', ?)");
        this.prune = sql.call("prune()");
    }

    /**
     * Makes scheduled jobs pending that are due, at most so many, and tells how long it is until the next one by the
     * database's clock: nothing if there is none, zero if more are due already.
     */
    public Optional<Duration> promote(int max) {
        return sql.queryOne(promote, statement -> statement.setInt(1, max), results -> {
            long millis = results.getLong(1);
            return results.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
        });
    }

    /**
     * Takes jobs back from workers that stopped beating, and jobs that outlived their timeout.
     *
     * @param ttl how long a worker may be silent
     * @param grace how long after its timeout a job is left to its own worker
     */
    public List<Rescued> rescue(Duration ttl, Duration grace, int max) {
        return sql.query(
                rescue,
                statement -> {
                    statement.setLong(1, ttl.toMillis());
                    statement.setLong(2, grace.toMillis());
                    statement.setInt(3, max);
                },
                results -> new Rescued(
                        results.getObject("id", UUID.class),
                        results.getString("queue"),
                        results.getString("type"),
                        JobState.valueOf(results.getString("state")),
                        results.getString("reason")));
    }

    /** Makes history partitions ahead and removes what is past its retention. */
    public void prune() {
        sql.run(prune, statement -> {});
    }

    /** A job taken back, and why. */
    public record Rescued(UUID id, String queue, String type, JobState state, String reason) {}
}
