package dev.jobqueue.dashboard;

import dev.jobqueue.dashboard.Recorder.Done;
import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.FlowGraph;
import dev.jobqueue.operate.FlowGraph.StepState;
import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowPage;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.FlowSummary;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobOperations;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Batches and flows: how far they are, their steps, and what people do with them. */
final class Flows implements Endpoints {

    private static final int PAGE = 50;

    /** For how many steps the page tells what they wait for. */
    private static final int WAITS = 3;

    private final JobOperations operations;
    private final JobViews jobs;
    private final Recorder recorder;

    Flows(JobOperations operations, JobViews jobs, Recorder recorder) {
        this.operations = operations;
        this.jobs = jobs;
        this.recorder = recorder;
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("flows", this::list);
        routes.get("flows/*", this::one);
        routes.post("flows/*/*", this::act);
    }

    Map<String, @Nullable Object> list(Call call) {
        String parent = call.parameter("parent");
        String after = call.parameter("after");
        FlowFilter filter = FlowFilter.all()
                .kind(Words.of(FlowKind.class, "kind", call.parameter("kind")))
                .state(Words.of(FlowState.class, "state", call.parameter("state")))
                .name(call.parameter("name"))
                .key(call.parameter("key"))
                .parent(parent == null ? null : Call.uuid(parent));
        FlowPage page = operations.findFlows(filter, after == null ? JobCursor.START : new JobCursor(after), PAGE);
        JobCursor next = page.next();
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("flows", page.flows());
        shown.put("next", next == null ? null : next.text());
        return shown;
    }

    /** A batch has no graph: its members may be very many. */
    Map<String, @Nullable Object> one(Call call) {
        UUID id = call.id();
        FlowSummary flow = operations
                .findFlow(id)
                .orElseThrow(() -> Refusal.missing(
                        "No batch or flow has the id '%s', or it is older than what is kept.".formatted(id)));
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        FlowGraph graph =
                flow.kind() == FlowKind.FLOW ? operations.flowGraph(id).orElse(null) : null;
        shown.put("flow", flow);
        shown.put("graph", graph);
        shown.put("waits", graph == null || flow.finishedAt() != null ? null : waits(graph));
        return shown;
    }

    /** What has begun and keeps the flow from going on; if nothing has, what has not and why. */
    private Map<String, Object> waits(FlowGraph graph) {
        List<FlowGraph.Node> steps = in(StepState.FREE, graph);
        if (steps.isEmpty()) {
            steps = in(StepState.BLOCKED, graph);
        }
        return Map.of(
                "steps",
                steps.stream()
                        .limit(WAITS)
                        .map(each -> Map.of("name", each.name(), "jobId", each.jobId(), "why", jobs.why(each.jobId())))
                        .toList(),
                "more",
                Math.max(0, steps.size() - WAITS));
    }

    private static List<FlowGraph.Node> in(StepState state, FlowGraph graph) {
        return graph.nodes().stream().filter(each -> each.state() == state).toList();
    }

    Map<String, @Nullable Object> act(Call call) {
        UUID id = call.id();
        String action = call.names().get(1);
        JsonNode body = call.body();
        return recorder.record(call.caller(), "flow." + action, id.toString(), () -> act(id, action, body));
    }

    private Done act(UUID id, String action, JsonNode body) {
        switch (action) {
            case "cancel" -> {
                return new Done(
                        operations.cancelFlow(id, body.path("compensate").asBoolean(false)), 0, null);
            }
            case "signal" -> {
                String step = body.path("step").asString("");
                JsonNode payload = body.path("payload");
                boolean given = !payload.isMissingNode() && !payload.isNull();
                if (!operations.signalFlow(id, step, given ? payload.toString() : null)) {
                    throw Refusal.invalid("The step '%s' has ended, or another signal came before.".formatted(step));
                }
                return new Done(null, 0, null);
            }
            default ->
                throw Refusal.missing(
                        "Unknown action '%s' for a batch or flow. Use one of: cancel, signal".formatted(action));
        }
    }
}
