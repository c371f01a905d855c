package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.db.CallersTransaction;
import dev.jobqueue.internal.db.Sql;
import java.sql.Array;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The SQL functions that publish batches and flows. */
final class FlowCalls {

    private final Sql sql;
    private final String openBatch;
    private final String sealBatch;
    private final String publishFlow;
    private final String addSteps;
    private final String signal;

    FlowCalls(Sql sql) {
        this.sql = sql;
        this.openBatch = sql.call("open_batch(?, ?, ?::jsonb, ?::jsonb, ?::jsonb, ?)");
        this.sealBatch = sql.call("seal_batch(?)");
        this.publishFlow = sql.call("publish_flow(?, ?::jsonb, ?, ?::jsonb, ?::jsonb, ?::jsonb, ?, notify => ?)");
        this.addSteps = sql.call("add_steps(?, ?::jsonb)");
        this.signal = sql.call("signal_flow(?, ?, ?::jsonb)");
    }

    /** The transaction that publishing joins. */
    CallersTransaction callersTransaction() {
        return sql.callersTransaction();
    }

    /**
     * @param parent the batch that it is a member of, if it is
     */
    Published openBatch(Header header, @Nullable UUID parent) {
        return sql.queryOne(
                openBatch,
                statement -> {
                    statement.setString(1, header.name());
                    statement.setString(2, header.key());
                    statement.setString(3, header.onSuccess());
                    statement.setString(4, header.onFinish());
                    statement.setString(5, header.onDeath());
                    statement.setObject(6, parent);
                },
                results -> new Published(
                        results.getObject("id", UUID.class), isNew(results.getString("outcome")), List.of()));
    }

    void sealBatch(UUID batch) {
        sql.run(sealBatch, statement -> statement.setObject(1, batch));
    }

    /**
     * @param steps as a JSON array
     * @param parent the batch that it is a member of, if it is
     * @param notifies whether other nodes are told at commit, within the transaction
     */
    Published publishFlow(Header header, String steps, @Nullable UUID parent, boolean notifies) {
        return sql.queryOne(
                publishFlow,
                statement -> {
                    statement.setString(1, header.name());
                    statement.setString(2, steps);
                    statement.setString(3, header.key());
                    statement.setString(4, header.onSuccess());
                    statement.setString(5, header.onFinish());
                    statement.setString(6, header.onDeath());
                    statement.setObject(7, parent);
                    statement.setBoolean(8, notifies);
                },
                results -> new Published(
                        results.getObject("id", UUID.class),
                        isNew(results.getString("outcome")),
                        texts(results.getArray("queues"))));
    }

    List<UUID> addSteps(UUID flow, String steps) {
        return sql.query(
                addSteps,
                statement -> {
                    statement.setObject(1, flow);
                    statement.setString(2, steps);
                },
                results -> results.getObject(1, UUID.class));
    }

    boolean signal(UUID flow, String name, @Nullable String payload) {
        return sql.queryOne(
                signal,
                statement -> {
                    statement.setObject(1, flow);
                    statement.setString(2, name);
                    statement.setString(3, payload);
                },
                results -> results.getBoolean(1));
    }

    private static boolean isNew(String outcome) {
        return outcome.equals("NEW");
    }

    private static List<String> texts(@Nullable Array array) throws java.sql.SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    /** What batches and flows have in common; the jobs that follow as JSON. */
    record Header(
            String name,
            @Nullable String key,
            @Nullable String onSuccess,
            @Nullable String onFinish,
            @Nullable String onDeath) {}

    /**
     * A batch or flow that was published, or was there.
     *
     * @param queues where jobs may be claimed now
     */
    record Published(UUID id, boolean isNew, List<String> queues) {}
}
