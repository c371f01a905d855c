package dev.jobqueue.internal.limit;

import dev.jobqueue.AtLimit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.LimitDefinition.Kind;
import dev.jobqueue.OnDead;
import dev.jobqueue.Rate;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.db.Arrays;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.LimitFigures;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The calls that set limits, say who has them, and tell how they are used. */
public final class LimitCalls {

    private static final String SET = "set_limit(?, ?, ?, ? * interval '1 millisecond', ?, ?, ?, ?, ?::jsonb, ?)";

    private final Sql sql;
    private final Sql looking;
    private final Json json;
    private final @Nullable String owner;

    /**
     * @param owner the name of the application, to be kept with what it sets; {@code null} for operators, who own
     *     nothing
     */
    public LimitCalls(Sql sql, Json json, @Nullable String owner) {
        this(sql, sql, json, owner);
    }

    /**
     * @param looking for calls that only read
     */
    public LimitCalls(Sql sql, Sql looking, Json json, @Nullable String owner) {
        this.sql = sql;
        this.looking = looking;
        this.json = json;
        this.owner = owner;
    }

    /**
     * Sets a limit. One that an operator set to other values stays as it is, unless an operator sets it again.
     *
     * @return the other application whose values were replaced, if there is one
     */
    public Optional<String> set(LimitDefinition limit) {
        Rate rate = limit.rate();
        return sql.queryOne(
                sql.call(SET),
                statement -> {
                    statement.setString(1, limit.name());
                    statement.setObject(2, limit.running(), Types.INTEGER);
                    statement.setObject(3, rate == null ? null : rate.starts(), Types.INTEGER);
                    statement.setObject(4, rate == null ? null : Spans.toMillis(rate.period()), Types.BIGINT);
                    statement.setObject(5, limit.burst(), Types.INTEGER);
                    statement.setString(6, limit.kind().name());
                    statement.setString(7, limit.atLimit().name());
                    statement.setString(8, limit.onDead().name());
                    statement.setString(
                            9, limit.weights().isEmpty() ? null : json.write(new TreeMap<>(limit.weights())));
                    statement.setString(10, owner);
                },
                results -> Optional.ofNullable(results.getString(1)));
    }

    /** Removes a limit: what waits for it starts. Returns whether there was one. */
    public boolean remove(String name) {
        return sql.queryOne(
                sql.call("remove_limit(?)"),
                statement -> statement.setString(1, name),
                results -> results.getBoolean(1));
    }

    /**
     * Says which limits jobs of a type have that are published from now on; answers as {@link #set} does.
     *
     * @param keys what each limit counts by, by the name of the limit; {@code null} if all jobs share it
     */
    public Optional<String> useForType(String type, Map<String, @Nullable String> keys) {
        return use(type, null, keys);
    }

    /** The same for jobs in a queue. */
    public Optional<String> useForQueue(String queue, Map<String, @Nullable String> keys) {
        return use(null, queue, keys);
    }

    private Optional<String> use(@Nullable String type, @Nullable String queue, Map<String, @Nullable String> keys) {
        List<String> limits = List.copyOf(keys.keySet());
        return sql.queryOne(
                sql.call("use_limits(?, ?, ?, ?, ?)"),
                statement -> {
                    statement.setString(1, type);
                    statement.setString(2, queue);
                    Arrays.bindTexts(statement, 3, limits);
                    Arrays.bind(statement, 4, "text", limits, keys::get);
                    statement.setString(5, owner);
                },
                results -> Optional.ofNullable(results.getString(1)));
    }

    /** The limits there are, by name. */
    public List<LimitFigures> find() {
        String find = "SELECT *, extract(epoch FROM period) * 1000 AS period_ms FROM "
                + sql.schema().qualified("find_limits()");
        return looking.query(find, statement -> {}, this::read);
    }

    private LimitFigures read(ResultSet results) throws SQLException {
        List<?> uses = json.read(results.getString("uses"), List.class);
        return new LimitFigures(
                readDefinition(results),
                results.getString("owner"),
                results.getLong("held"),
                results.getLong("waiting"),
                uses.stream().map(each -> readUse((Map<?, ?>) each)).toList(),
                results.getLong("blocked"));
    }

    private static LimitFigures.Use readUse(Map<?, ?> use) {
        return new LimitFigures.Use(
                (String) use.get("type"), (String) use.get("queue"), (String) use.get("key"), (String)
                        use.get("owner"));
    }

    private LimitDefinition readDefinition(ResultSet results) throws SQLException {
        Kind kind = Kind.valueOf(results.getString("kind"));
        Integer starts = integer(results, "rate");
        return new LimitDefinition(
                results.getString("name"),
                kind,
                integer(results, "running"),
                starts == null ? null : new Rate(starts, Duration.ofMillis(results.getLong("period_ms"))),
                integer(results, "burst"),
                AtLimit.valueOf(results.getString("at_limit")),
                OnDead.valueOf(results.getString("on_dead")),
                readWeights(results.getString("weights")));
    }

    private Map<String, Integer> readWeights(@Nullable String text) {
        Map<String, Integer> weights = new TreeMap<>();
        if (text != null) {
            Map<?, ?> read = json.read(text, Map.class);
            read.forEach((key, weight) -> weights.put((String) key, ((Number) weight).intValue()));
        }
        return weights;
    }

    private static @Nullable Integer integer(ResultSet results, String column) throws SQLException {
        int value = results.getInt(column);
        return results.wasNull() ? null : value;
    }
}
