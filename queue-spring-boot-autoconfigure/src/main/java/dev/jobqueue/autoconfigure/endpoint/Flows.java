package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.FlowGraph;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Batches and flows, for people and scripts to read, and to cancel. */
final class Flows {

    private static final Logger log = LoggerFactory.getLogger(Flows.class);

    private final JobOperations operations;

    Flows(JobOperations operations) {
        this.operations = operations;
    }

    Map<String, Object> list(FlowFilter filter, @Nullable String after, int limit) {
        FlowPage page = operations.findFlows(filter, after == null ? JobCursor.START : new JobCursor(after), limit);
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("flows", page.flows().stream().map(Responses::plain).toList());
        JobCursor next = page.next();
        answer.put("next", next == null ? null : next.text());
        return answer;
    }

    /** With its steps, and which comes after which. */
    Object show(UUID id) {
        FlowSummary flow = operations
                .findFlow(id)
                .orElseThrow(() -> Responses.missing("No batch or flow has the id '%s'".formatted(id)));
        Map<String, @Nullable Object> shown = new LinkedHashMap<>(Responses.plain(flow));
        FlowGraph graph = operations.flowGraph(id).orElse(new FlowGraph(id, List.of(), List.of(), false));
        shown.put("steps", graph.nodes().stream().map(Responses::plain).toList());
        shown.put("edges", graph.edges().stream().map(Responses::plain).toList());
        shown.put("truncated", graph.truncated());
        return shown;
    }

    Object act(UUID id, String action) {
        FlowState state = switch (action) {
            case "cancel" -> operations.cancelFlow(id, false);
            case "compensate" -> operations.cancelFlow(id, true);
            default -> throw Actions.unknown(action, "a batch or flow", "cancel, compensate");
        };
        log.info("Flow {}: {} by {}, and it is {}", id, action, Caller.name(), state);
        boolean late = state != FlowState.RUNNING && state != FlowState.COMPENSATING;
        return Map.of("id", id, "done", late ? "nothing: it has finished" : action, "state", state);
    }
}
