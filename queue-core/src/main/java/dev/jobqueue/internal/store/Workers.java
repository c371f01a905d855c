package dev.jobqueue.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The rows of the nodes that work: their beats, and their end. */
public final class Workers {

    private final Sql sql;
    private final String heartbeat;
    private final String suspiciousHeartbeat;
    private final String unregister;

    public Workers(Sql sql) {
        this.sql = sql;
        this.heartbeat = sql.hastyCall("heartbeat(?, ?, ?, ?, ?, ?, ?, ?)");
        this.suspiciousHeartbeat = sql.hastyCall("heartbeat(?, ?, ?, ?, ?, ?, ?, ?, ? * interval '1 millisecond')");
        this.unregister = sql.call("unregister(?)");
    }

    /**
     * Tells that the worker lives, and learns which of its running jobs it should stop.
     *
     * @throws dev.jobqueue.LeaseLostException if the worker was declared dead
     */
    public List<Verdict> heartbeat(Node node, Collection<Claim> running) {
        return sql.query(heartbeat, statement -> bind(statement, node, running), Workers::readVerdict);
    }

    /**
     * The same, when a claim may have been granted whose answer never arrived.
     *
     * @param unknownAfter how long after their claim jobs go back that run under this worker's id but are not given
     */
    public List<Verdict> heartbeat(Node node, Collection<Claim> running, Duration unknownAfter) {
        return sql.query(
                suspiciousHeartbeat,
                statement -> {
                    bind(statement, node, running);
                    statement.setLong(9, unknownAfter.toMillis());
                },
                Workers::readVerdict);
    }

    private static void bind(PreparedStatement statement, Node node, Collection<Claim> running) throws SQLException {
        statement.setObject(1, node.id());
        statement.setString(2, node.host());
        statement.setObject(3, node.pid());
        statement.setString(4, node.version());
        Arrays.bindTexts(statement, 5, node.queues());
        Arrays.bindTexts(statement, 6, node.types());
        Arrays.bindClaims(statement, 7, running);
    }

    private static Verdict readVerdict(ResultSet results) throws SQLException {
        Claim claim = new Claim(results.getObject(1, UUID.class), results.getLong(2));
        return new Verdict(claim, "CANCEL".equals(results.getString(3)));
    }

    /** Removes the row of a worker that stopped and holds no jobs. */
    public void unregister(UUID workerId) {
        sql.run(unregister, statement -> statement.setObject(1, workerId));
    }

    /**
     * A worker as the others see it.
     *
     * @param queues the queues it works, {@code null} if it does not say
     * @param types the types it has handlers for, {@code null} if it does not say
     */
    public record Node(
            UUID id,
            @Nullable String host,
            @Nullable Integer pid,
            @Nullable String version,
            @Nullable Collection<String> queues,
            @Nullable Collection<String> types) {}

    /**
     * Why a worker should stop a job.
     *
     * @param cancelled asked to be cancelled, as opposed to lost to another worker
     */
    public record Verdict(Claim claim, boolean cancelled) {}
}
