package dev.jobqueue.internal.flow;

import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The SQL function that takes the ticks of batches and flows. */
public final class ResolveCalls {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    /** OFFSET 0 keeps the planner from calling confirm where there is nothing to confirm. */
    private static final String RESOLVE_AND_CONFIRM = """
            (SELECT job.*, resolved.* FROM %s AS resolved
                LEFT JOIN LATERAL (SELECT * FROM %s WHERE resolved.leased <> '{}' OFFSET 0) AS job ON true)""";

    private final Sql sql;
    private final String resolve;
    private final String resolveAndTake;

    /**
     * @param sql joins no transaction, but for a test that resolves in its own
     */
    public ResolveCalls(Sql sql) {
        this.sql = sql;
        String columns = "called.folded, called.more, called.next_at,"
                + " ceil(extract(epoch FROM called.next_at - clock_timestamp()) * 1000)::bigint AS next_ms,"
                + " called.queues, called.ended::text AS ended, called.leased";
        String call = "resolve(?, ?)";
        // what is taken twice after a crash of the server is resolved twice in the same way: no wait for the disk
        this.resolve = sql.joinsTransactions()
                ? "SELECT " + columns + " FROM " + sql.schema().qualified(call) + " AS called"
                : sql.hastyCall(call, columns);
        this.resolveAndTake = Sql.hasty(
                RESOLVE_AND_CONFIRM.formatted(
                        sql.schema().qualified("resolve(?, ?, ?, ?, ?, ?, ?)"),
                        sql.schema().qualified("confirm(?, resolved.leased)")),
                "called.*, ceil(extract(epoch FROM called.next_at - clock_timestamp()) * 1000)::bigint AS next_ms");
    }

    /**
     * Takes ticks, frees steps and publishes what follows.
     *
     * @param max how many ticks at most
     * @param notifies whether other nodes are told of new jobs within the transaction
     */
    public Resolution resolve(int max, boolean notifies) {
        return sql.queryOne(
                resolve,
                statement -> {
                    statement.setInt(1, max);
                    statement.setBoolean(2, notifies);
                },
                ResolveCalls::resolution);
    }

    /**
     * Takes ticks as {@link #resolve(int, boolean)} does, and leases steps that became free for slots of this worker.
     *
     * @param job reads a job from the columns that a claim returns
     */
    public <J> Taken<J> resolve(int max, boolean notifies, FreeSlots free, Sql.RowReader<J> job) {
        List<J> jobs = new ArrayList<>();
        List<Resolution> resolutions = sql.query(
                resolveAndTake,
                statement -> {
                    statement.setInt(1, max);
                    statement.setBoolean(2, notifies);
                    statement.setObject(3, free.workerId());
                    Arrays.bindTexts(statement, 4, free.types());
                    Arrays.bindTexts(statement, 5, free.slots().keySet());
                    Arrays.bind(statement, 6, "int4", free.slots().values(), slots -> slots);
                    Arrays.bind(statement, 7, "int8", free.leases(), lease -> lease);
                    statement.setObject(8, free.workerId());
                },
                results -> {
                    if (results.getObject("id") != null) {
                        jobs.add(job.read(results));
                    }
                    return resolution(results);
                });
        return new Taken<>(resolutions.get(0), jobs);
    }

    private static Resolution resolution(ResultSet results) throws SQLException {
        long millis = results.getLong("next_ms");
        Optional<Duration> left =
                results.wasNull() ? Optional.empty() : Optional.of(Duration.ofMillis(Math.max(0, millis)));
        OffsetDateTime next = results.getObject("next_at", OffsetDateTime.class);
        return new Resolution(
                results.getInt("folded"),
                results.getBoolean("more"),
                left,
                Optional.ofNullable(next).map(OffsetDateTime::toInstant),
                queues(results.getArray("queues")),
                results.getArray("leased") != null,
                ended(results.getString("ended")));
    }

    private static Set<String> queues(@Nullable Array array) throws SQLException {
        return array == null ? Set.of() : Set.of((String[]) array.getArray());
    }

    private static List<Finished> ended(@Nullable String json) {
        return json == null
                ? List.of()
                : MAPPER.readTree(json)
                        .valueStream()
                        .map(ResolveCalls::finished)
                        .toList();
    }

    private static Finished finished(JsonNode node) {
        return new Finished(
                FlowKind.valueOf(node.get("kind").asString()),
                node.get("name").asString(),
                FlowState.valueOf(node.get("state").asString()),
                Duration.ofMillis(node.get("duration_ms").asLong()));
    }

    /**
     * What one call did.
     *
     * @param folded how many ticks it took
     * @param more whether there may be more to do
     * @param left how long it is until something is due by itself, by the clock of the database
     * @param nextAt when that is
     * @param queues those in which jobs became ready; an empty name stands for jobs that are due later
     * @param started whether steps that became free were taken for this worker
     * @param finished the batches and flows that finished
     */
    public record Resolution(
            int folded,
            boolean more,
            Optional<Duration> left,
            Optional<Instant> nextAt,
            Set<String> queues,
            boolean started,
            List<Finished> finished) {

        /** Whether there are new jobs. */
        boolean freed() {
            return started || !queues.isEmpty();
        }
    }

    /** What one call did, and the jobs that it took for this worker. */
    public record Taken<J>(Resolution resolution, List<J> jobs) {}

    /** A batch or flow that finished, and how long it took. */
    public record Finished(FlowKind kind, String name, FlowState state, Duration duration) {}
}
