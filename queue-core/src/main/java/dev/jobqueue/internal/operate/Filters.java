package dev.jobqueue.internal.operate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.operate.JobFilter;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Binds filters as the SQL functions take them. */
final class Filters {

    /** The argument of a call, with as many parameters as {@link #COUNT}. */
    static final String ARGUMENT = "jsonb_build_object('state', ?::text, 'queue', ?::text, 'type', ?::text,"
            + " 'unique_key', ?::text, 'error_like', ?::text, 'since', ?::timestamptz, 'before', ?::timestamptz,"
            + " 'fingerprint', ?::text, 'flow', ?::text)";

    static final int COUNT = 9;

    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant END = Instant.parse("+10000-01-01T00:00:00Z");

    private Filters() {}

    /** Sets the parameters, which are the first of the statement. */
    static void bind(PreparedStatement statement, JobFilter filter) throws SQLException {
        statement.setString(1, filter.state().name());
        statement.setString(2, filter.queue());
        statement.setString(3, filter.type());
        statement.setString(4, filter.uniqueKey());
        statement.setString(5, filter.errorLike());
        bindTime(statement, 6, "since", filter.since());
        bindTime(statement, 7, "before", filter.before());
        statement.setString(8, filter.fingerprint());
        statement.setString(9, filter.flow() == null ? null : filter.flow().toString());
    }

    /** A time that the database can store, or {@code null}. */
    static void bindTime(PreparedStatement statement, int index, String what, @Nullable Instant time)
            throws SQLException {
        if (time != null && (time.isBefore(FIRST) || !time.isBefore(END))) {
            throw new InvalidJobException("%s is '%s': must be from the year 1 to 9999".formatted(what, time));
        }
        statement.setObject(index, time == null ? null : time.atOffset(ZoneOffset.UTC), Types.TIMESTAMP_WITH_TIMEZONE);
    }
}
