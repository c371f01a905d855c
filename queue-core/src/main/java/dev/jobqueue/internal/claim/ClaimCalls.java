package dev.jobqueue.internal.claim;

import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.flow.FlowPlace;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The SQL functions that give jobs to a worker. */
public final class ClaimCalls {

    private final Sql sql;
    private final String claim;
    private final String confirm;

    public ClaimCalls(Sql sql) {
        this.sql = sql;
        this.claim = sql.hastyCall("claim(?, ?, ?, ?, ?)");
        this.confirm = sql.hastyCall("confirm(?, ?)");
    }

    /**
     * Takes due jobs, in claim order.
     *
     * @param wanted how many at most, by queue
     * @param types only of these types; {@code null} means all
     */
    public List<ClaimedJob> claim(UUID workerId, Map<String, Integer> wanted, @Nullable Collection<String> types) {
        return claim(workerId, wanted, types, null);
    }

    /**
     * Takes due jobs, in claim order, until they have so many bytes.
     *
     * @param maxBytes of payloads, headers and steps in each queue; {@code null} means any number
     */
    public List<ClaimedJob> claim(
            UUID workerId, Map<String, Integer> wanted, @Nullable Collection<String> types, @Nullable Long maxBytes) {
        return sql.query(
                claim,
                statement -> {
                    statement.setObject(1, workerId);
                    Arrays.bind(statement, 2, "text", wanted.entrySet(), Map.Entry::getKey);
                    Arrays.bind(statement, 3, "int4", wanted.entrySet(), Map.Entry::getValue);
                    Arrays.bindTexts(statement, 4, types);
                    statement.setObject(5, maxBytes, Types.BIGINT);
                },
                ClaimCalls::readClaimed);
    }

    /** Takes the jobs that were published under these leases and are committed. */
    public List<ClaimedJob> confirm(UUID workerId, Collection<Long> leases) {
        return sql.query(
                confirm,
                statement -> {
                    statement.setObject(1, workerId);
                    Arrays.bind(statement, 2, "int8", leases, number -> number);
                },
                ClaimCalls::readClaimed);
    }

    /** Reads a row of a claim. By position: a name would be looked up for every row. */
    public static ClaimedJob readClaimed(ResultSet results) throws SQLException {
        Instant createdAt = instant(results, 12);
        Instant runAt = instant(results, 13);
        OffsetDateTime timeoutAt = results.getObject(14, OffsetDateTime.class);
        Instant claimedAt = instant(results, 16);
        return new ClaimedJob(
                new JobLease(results.getObject(1, UUID.class), results.getLong(7)),
                results.getString(2),
                results.getString(3),
                results.getString(4),
                results.getInt(5),
                results.getInt(6),
                results.getString(8),
                results.getString(9),
                results.getObject(10, Integer.class),
                results.getString(11),
                createdAt,
                runAt,
                timeoutAt == null ? null : ChronoUnit.MILLIS.between(claimedAt, timeoutAt.toInstant()),
                ChronoUnit.MILLIS.between(runAt.isAfter(createdAt) ? runAt : createdAt, claimedAt),
                results.getBoolean(17),
                place(results),
                results.getObject(20, Long.class));
    }

    private static @Nullable FlowPlace place(ResultSet results) throws SQLException {
        UUID flow = results.getObject(18, UUID.class);
        return flow == null ? null : new FlowPlace(flow, results.getString(19));
    }

    private static Instant instant(ResultSet results, int column) throws SQLException {
        return results.getObject(column, OffsetDateTime.class).toInstant();
    }
}
