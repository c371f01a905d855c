package dev.jobqueue.internal.limit;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.LaneFigures;
import dev.jobqueue.operate.LanePage;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The calls that look at the lanes of a limit, and open and close them. */
public final class LaneCalls {

    /** What a timestamp of the driver and of the database has room for. */
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private final Sql sql;
    private final Sql looking;

    /**
     * @param looking for calls that only read
     */
    public LaneCalls(Sql sql, Sql looking) {
        this.sql = sql;
        this.looking = looking;
    }

    LanePage find(String limit, JobCursor after, int max, boolean onlyBlocked) {
        AtomicReference<@Nullable String> next = new AtomicReference<>();
        List<Optional<LaneFigures>> lanes = looking.query(
                looking.call("find_lanes(?, ?, ?, ?)"),
                statement -> {
                    statement.setString(1, limit);
                    statement.setString(2, after.text().isEmpty() ? null : after.text());
                    statement.setInt(3, max);
                    statement.setBoolean(4, onlyBlocked);
                },
                results -> {
                    next.set(results.getString("cursor"));
                    return read(results);
                });
        String cursor = next.get();
        return new LanePage(
                lanes.stream().flatMap(Optional::stream).toList(), cursor == null ? null : new JobCursor(cursor));
    }

    /** The last row may have only a cursor. */
    private static Optional<LaneFigures> read(ResultSet results) throws SQLException {
        String limit = results.getString("limit");
        if (limit == null) {
            return Optional.empty();
        }
        int running = results.getInt("running");
        boolean any = results.wasNull();
        long oldest = results.getLong("oldest_ms");
        boolean none = results.wasNull();
        OffsetDateTime opensAt = results.getObject("opens_at", OffsetDateTime.class);
        return Optional.of(new LaneFigures(
                limit,
                results.getString("key"),
                results.getLong("held"),
                any ? null : running,
                results.getLong("waiting"),
                none ? null : Duration.ofMillis(oldest),
                opensAt == null ? null : opensAt.toInstant(),
                results.getObject("blocked_by", UUID.class)));
    }

    boolean release(String limit, String key) {
        return sql.queryOne(
                sql.call("release_lane(?, ?)"),
                statement -> {
                    statement.setString(1, limit);
                    statement.setString(2, key);
                },
                results -> results.getBoolean(1));
    }

    void close(String limit, String key, Instant until) {
        if (!until.isBefore(END) || until.isBefore(Instant.EPOCH)) {
            throw new InvalidJobException("until is '%s': must be from the year 1970 to 9999".formatted(until));
        }
        sql.run(sql.call("close_lane(?, ?, ?)"), statement -> {
            statement.setString(1, limit);
            statement.setString(2, key);
            statement.setObject(3, until.atOffset(ZoneOffset.UTC));
        });
    }
}
