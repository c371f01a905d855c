package dev.jobqueue.internal.operate;

import dev.jobqueue.JobState;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job as {@code find_job} tells of it. */
public record FoundJob(
        UUID id,
        String queue,
        String type,
        JobState state,
        int priority,
        int attempt,
        int maxAttempts,
        @Nullable Integer percent,
        @Nullable String stage,
        String payload,
        String headers,
        @Nullable String result,
        String errors,
        Instant createdAt,
        Instant runAt,
        @Nullable Instant claimedAt,
        @Nullable Instant finishedAt,
        boolean cancelRequested) {

    static FoundJob read(UUID id, ResultSet results) throws SQLException {
        return new FoundJob(
                id,
                results.getString("queue"),
                results.getString("type"),
                JobState.valueOf(results.getString("state")),
                results.getInt("priority"),
                results.getInt("attempt"),
                results.getInt("max_attempts"),
                results.getObject("percent", Integer.class),
                results.getString("stage"),
                results.getString("payload"),
                results.getString("headers"),
                results.getString("result"),
                results.getString("errors"),
                results.getObject("created_at", OffsetDateTime.class).toInstant(),
                results.getObject("run_at", OffsetDateTime.class).toInstant(),
                instant(results, "claimed_at"),
                instant(results, "finished_at"),
                results.getBoolean("cancel_requested"));
    }

    private static @Nullable Instant instant(ResultSet results, String column) throws SQLException {
        OffsetDateTime value = results.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }
}
