package dev.jobqueue.internal.node;

import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The SQL functions by which a node says that it lives, and that it stops. */
public final class NodeCalls {

    private static final String MILLIS = "? * interval '1 millisecond'";

    private final Sql sql;
    private final @Nullable Duration ttl;
    private final String heartbeat;
    private final String unregister;

    /** For workers that do not say how long they may be silent. */
    public NodeCalls(Sql sql) {
        this(sql, null);
    }

    /**
     * For workers that beat through this.
     *
     * @param ttl how long they may be silent before their jobs are rescued, whoever does that
     */
    public NodeCalls(Sql sql, @Nullable Duration ttl) {
        this.sql = sql;
        this.ttl = ttl;
        this.heartbeat = sql.hastyCall("heartbeat(?, ?, ?, ?, ?, ?, ?, ?, " + MILLIS + ", " + MILLIS + ", ?)");
        this.unregister = sql.call("unregister(?)");
    }

    /**
     * Tells that the worker lives, and learns which of its running jobs it should stop.
     *
     * @throws dev.jobqueue.LeaseLostException if the worker was declared dead
     */
    public List<Verdict> heartbeat(Registration node, Collection<JobLease> running) {
        List<Held.Job> jobs =
                running.stream().map(lease -> new Held.Job(lease, true)).toList();
        return heartbeat(node, () -> new Held(jobs, Held.USUAL_PATIENCE));
    }

    /**
     * Tells that the worker lives, and learns which of its running jobs it should stop.
     *
     * @param held the jobs that the worker has; asked when there is a connection and not before, so that jobs which
     *     began while this waited for a connection are among them
     * @throws dev.jobqueue.LeaseLostException if the worker was declared dead
     */
    public List<Verdict> heartbeat(Registration node, Supplier<Held> held) {
        return sql.query(
                heartbeat,
                statement -> {
                    statement.setObject(1, node.id());
                    statement.setString(2, node.host());
                    statement.setObject(3, node.pid());
                    statement.setString(4, node.version());
                    Arrays.bindTexts(statement, 5, node.queues());
                    Arrays.bindTexts(statement, 6, node.types());
                    Held now = held.get();
                    JobLease.bindAll(
                            statement,
                            7,
                            now.jobs().stream().map(Held.Job::lease).toList());
                    statement.setLong(9, now.unknownAfter().toMillis());
                    statement.setObject(10, ttl == null ? null : ttl.toMillis(), Types.BIGINT);
                    Arrays.bind(statement, 11, "bool", now.jobs(), job -> !job.begun());
                },
                NodeCalls::readVerdict);
    }

    private static Verdict readVerdict(ResultSet results) throws SQLException {
        JobLease lease = new JobLease(results.getObject(1, UUID.class), results.getLong(2));
        return new Verdict(lease, "CANCEL".equals(results.getString(3)));
    }

    /** Removes the row of a worker that stopped and holds no jobs. */
    public void unregister(UUID workerId) {
        sql.run(unregister, statement -> statement.setObject(1, workerId));
    }

    /**
     * What a worker has.
     *
     * @param unknownAfter how long after their claim other jobs that run under its id go back: it does not know of them
     */
    public record Held(List<Job> jobs, Duration unknownAfter) {

        public static final Duration USUAL_PATIENCE = Duration.ofSeconds(10);

        /** A job, and whether its handler was called: if not, a worker that vanishes has cost it no attempt. */
        public record Job(JobLease lease, boolean begun) {}
    }

    /**
     * A worker as the others see it.
     *
     * @param queues the queues it works, {@code null} if it does not say
     * @param types the types it has handlers for, {@code null} if it does not say
     */
    public record Registration(
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
    public record Verdict(JobLease lease, boolean cancelled) {}
}
