package dev.jobqueue.internal.settle;

import dev.jobqueue.internal.db.Arrays;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.UUID;

/**
 * The lease of one job: the right to report on one run of the job and to settle it.
 *
 * @param id the id of the job
 * @param number the number that the database gave out with the claim; a call with any other number is refused
 */
public record JobLease(UUID id, long number) {

    /** Sets the first two parameters of a call. */
    public void bind(PreparedStatement statement) throws SQLException {
        statement.setObject(1, id);
        statement.setLong(2, number);
    }

    /** Sets two parameters, from this index on, to the ids and the numbers. */
    public static void bindAll(PreparedStatement statement, int index, Collection<JobLease> leases)
            throws SQLException {
        Arrays.bind(statement, index, "uuid", leases, JobLease::id);
        Arrays.bind(statement, index + 1, "int8", leases, JobLease::number);
    }
}
