package dev.jobqueue.internal.operate;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads columns that may be null, as the types of the API. */
final class Columns {

    private Columns() {}

    static Instant time(ResultSet results, String column) throws SQLException {
        return results.getObject(column, OffsetDateTime.class).toInstant();
    }

    static @Nullable Instant timeOrNull(ResultSet results, String column) throws SQLException {
        OffsetDateTime time = results.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    static @Nullable Integer integer(ResultSet results, String column) throws SQLException {
        int value = results.getInt(column);
        return results.wasNull() ? null : value;
    }

    static @Nullable Duration millis(ResultSet results, String column) throws SQLException {
        long value = results.getLong(column);
        return results.wasNull() ? null : Duration.ofMillis(value);
    }

    static @Nullable List<String> texts(ResultSet results, String column) throws SQLException {
        java.sql.Array array = results.getArray(column);
        return array == null
                ? null
                : Stream.of((String[]) array.getArray()).sorted().toList();
    }
}
