package dev.jobqueue.benchmarks.subject;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/** Publishes, claims and completes by the functions of the SQL contract, over one connection and without any client. */
public final class SqlWorker implements AutoCloseable {

    private final Connection connection;
    private final PreparedStatement publish;
    private final PreparedStatement claim;
    private final PreparedStatement complete;

    public SqlWorker(Connection connection) throws SQLException {
        this.connection = connection;
        this.publish = connection.prepareStatement("SELECT queue.publish('work', ?)");
        this.claim = connection.prepareStatement("SELECT c.id, c.payload, c.lease"
                + " FROM set_config('synchronous_commit', 'off', true), queue.claim(?, '{default}', ARRAY[?]) AS c");
        this.complete = connection.prepareStatement("SELECT queue.complete_many(?, ?)");
        claim.setObject(1, UUID.randomUUID());
    }

    public Connection connection() {
        return connection;
    }

    public void publish(long id) throws SQLException {
        publish.setString(1, Work.of(id).json());
        publish.executeQuery().close();
    }

    /**
     * Claims up to so many jobs and completes them, in two transactions.
     *
     * @return how many
     */
    public int claimAndComplete(int limit) throws SQLException {
        List<UUID> ids = new ArrayList<>();
        List<Long> leases = new ArrayList<>();
        claim.setInt(2, limit);
        try (ResultSet jobs = claim.executeQuery()) {
            while (jobs.next()) {
                ids.add(jobs.getObject(1, UUID.class));
                leases.add(jobs.getLong(3));
            }
        }
        complete.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
        complete.setArray(2, connection.createArrayOf("bigint", leases.toArray()));
        try (ResultSet refused = complete.executeQuery()) {
            if (refused.next()) {
                throw new IllegalStateException("Job '" + refused.getString(1) + "' could not be completed");
            }
        }
        return ids.size();
    }

    /**
     * Claims up to so many jobs and leaves them running.
     *
     * @return how many
     */
    public int claim(int limit) throws SQLException {
        claim.setInt(2, limit);
        int claimed = 0;
        try (ResultSet jobs = claim.executeQuery()) {
            while (jobs.next()) {
                claimed++;
            }
        }
        return claimed;
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
