package dev.jobqueue.internal.operate;

import dev.jobqueue.OnParentDead;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.FlowGraph;
import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowPage;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.FlowSummary;
import dev.jobqueue.operate.JobCursor;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads batches and flows, and acts on them. */
final class FlowReader {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();

    private static final String FILTER = "jsonb_build_object('kind', ?::text, 'name', ?::text, 'key', ?::text,"
            + " 'state', ?::text, 'parent', ?::text)";

    private final Sql sql;

    FlowReader(Sql sql) {
        this.sql = sql;
    }

    /** Returns this reader with calls that are given up after the timeout. */
    FlowReader within(Duration timeout) {
        return new FlowReader(sql.within(timeout));
    }

    Optional<FlowSummary> find(UUID id) {
        return sql
                .query(sql.call("find_flow(?)"), statement -> statement.setObject(1, id), FlowReader::readSummary)
                .stream()
                .findFirst();
    }

    FlowPage find(FlowFilter filter, JobCursor after, int limit) {
        AtomicReference<@Nullable String> next = new AtomicReference<>();
        List<Optional<FlowSummary>> rows = sql.query(
                sql.call("find_flows(" + FILTER + ", ?, ?)"),
                statement -> {
                    statement.setString(1, text(filter.kind()));
                    statement.setString(2, filter.name());
                    statement.setString(3, filter.key());
                    statement.setString(4, text(filter.state()));
                    statement.setString(5, text(filter.parent()));
                    statement.setString(6, after.equals(JobCursor.START) ? null : after.text());
                    statement.setInt(7, limit);
                },
                results -> {
                    next.set(results.getString("cursor"));
                    return next.get() == null ? Optional.of(readSummary(results)) : Optional.empty();
                });
        String following = next.get();
        return new FlowPage(
                rows.stream().flatMap(Optional::stream).toList(), following == null ? null : new JobCursor(following));
    }

    Optional<FlowGraph> graph(UUID id) {
        return sql.queryOne(
                "SELECT called::text FROM " + sql.schema().qualified("flow_graph(?) AS called"),
                statement -> statement.setObject(1, id),
                results -> Optional.ofNullable(results.getString(1)).map(FlowReader::readGraph));
    }

    FlowState cancel(UUID id, boolean compensate) {
        return sql.queryOne(
                sql.call("cancel_flow(?, ?)"),
                statement -> {
                    statement.setObject(1, id);
                    statement.setBoolean(2, compensate);
                },
                results -> FlowState.valueOf(results.getString(1)));
    }

    boolean signal(UUID id, String name, @Nullable String payload) {
        return sql.queryOne(
                sql.call("signal_flow(?, ?, ?::jsonb)"),
                statement -> {
                    statement.setObject(1, id);
                    statement.setString(2, name);
                    statement.setString(3, payload);
                },
                results -> results.getBoolean(1));
    }

    private static FlowSummary readSummary(ResultSet results) throws SQLException {
        return new FlowSummary(
                results.getObject("id", UUID.class),
                FlowKind.valueOf(results.getString("kind")),
                results.getString("name"),
                results.getString("key"),
                FlowState.valueOf(results.getString("state")),
                results.getBoolean("cancelling"),
                results.getInt("round"),
                results.getLong("total"),
                results.getLong("done"),
                results.getLong("dead"),
                results.getLong("cancelled"),
                Columns.integer(results, "percent"),
                results.getObject("parent", UUID.class),
                Columns.time(results, "created_at"),
                Columns.timeOrNull(results, "finished_at"),
                results.getString("problem"));
    }

    private static FlowGraph readGraph(String json) {
        JsonNode graph = MAPPER.readTree(json);
        return new FlowGraph(
                UUID.fromString(graph.get("id").asString()),
                graph.get("nodes").valueStream().map(FlowReader::readNode).toList(),
                graph.get("edges")
                        .valueStream()
                        .map(edge -> new FlowGraph.Edge(
                                edge.get(0).asInt(), edge.get(1).asInt()))
                        .toList(),
                graph.get("truncated").asBoolean());
    }

    private static FlowGraph.Node readNode(JsonNode node) {
        JsonNode compensates = node.get("compensates");
        return new FlowGraph.Node(
                node.get("step").asInt(),
                node.get("name").asString(),
                text(node, "group"),
                node.get("kind").asString(),
                FlowGraph.StepState.valueOf(node.get("state").asString()),
                UUID.fromString(node.get("job_id").asString()),
                text(node, "type"),
                text(node, "queue"),
                OnParentDead.valueOf(node.get("on_parent_dead").asString()),
                time(node, "freed_at"),
                time(node, "ended_at"),
                text(node, "problem"),
                compensates.isNull() ? null : compensates.asInt());
    }

    private static @Nullable String text(JsonNode node, String name) {
        JsonNode value = node.get(name);
        return value.isNull() ? null : value.asString();
    }

    private static @Nullable Instant time(JsonNode node, String name) {
        String text = text(node, name);
        return text == null ? null : OffsetDateTime.parse(text).toInstant();
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : Objects.toString(value);
    }
}
