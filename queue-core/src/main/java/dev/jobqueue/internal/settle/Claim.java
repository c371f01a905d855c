package dev.jobqueue.internal.settle;

import dev.jobqueue.internal.db.Arrays;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;

/**
 * The right to settle one run of a job.
 *
 * @param id the job
 * @param lease the number drawn when it was claimed; whoever presents another one changes nothing
 */
public record Claim(UUID id, long lease) {

    /** Sets the first two parameters of a call. */
    public void bind(PreparedStatement statement) throws SQLException {
        statement.setObject(1, id);
        statement.setLong(2, lease);
    }

    /** Sets two parameters, from this index on, to the ids and the leases. */
    public static void bindAll(PreparedStatement statement, int index, Collection<Claim> claims) throws SQLException {
        Arrays.bind(statement, index, "uuid", claims, Claim::id);
        Arrays.bind(statement, index + 1, "int8", claims, Claim::lease);
    }
}
