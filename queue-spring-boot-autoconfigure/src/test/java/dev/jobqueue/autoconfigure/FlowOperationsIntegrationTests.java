package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.FlowGraph;
import dev.jobqueue.operate.FlowGraph.StepState;
import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowPage;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.FlowSummary;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

class FlowOperationsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final FlowRows flows = new FlowRows(database);
    private static final Node node = Node.start(database, Handlers.class);
    private static final JobOperations operations = node.bean(JobOperations.class);

    @AfterAll
    static void stop() {
        node.close();
    }

    private static Flow approval() {
        return Flow.of("approval")
                .step("ask", Job.of("work", null))
                .compensate("ask", Job.of("work", null))
                .signal("approved")
                .after("ask")
                .step("act", Job.of("work", null))
                .after("approved");
    }

    @Test
    void showAFlowWithItsGraph() {
        UUID id = node.publisher().publish(approval());
        await().until(() -> operations.findFlow(id).orElseThrow().done() == 1);
        FlowSummary flow = operations.findFlow(id).orElseThrow();
        assertThat(flow.kind()).isEqualTo(FlowKind.FLOW);
        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        assertThat(flow.percent()).isEqualTo(33);
        FlowGraph graph = operations.flowGraph(id).orElseThrow();
        assertThat(graph.nodes()).extracting(FlowGraph.Node::name).containsExactly("ask", "approved", "act");
        assertThat(graph.nodes())
                .extracting(FlowGraph.Node::state)
                .containsExactly(StepState.DONE, StepState.FREE, StepState.BLOCKED);
        assertThat(graph.nodes()).extracting(FlowGraph.Node::kind).containsExactly("job", "signal", "job");
        assertThat(graph.edges()).containsExactly(new FlowGraph.Edge(1, 2), new FlowGraph.Edge(2, 3));
        assertThat(graph.truncated()).isFalse();
        FlowGraph.Node blocked = graph.nodes().get(2);
        assertThat(blocked.endedAt()).isNull();
        JobDetails step = operations.find(blocked.jobId()).orElseThrow();
        assertThat(step.state()).isEqualTo(JobState.WAITING);
        assertThat(step.flowId()).isEqualTo(id);
        assertThat(step.flowStep()).isEqualTo("act");
        assertThat(operations.why(blocked.jobId()).get(0).message()).contains("approved");
        assertThat(operations.signalFlow(id, "approved", "{\"by\": \"ada\"}")).isTrue();
        flows.await(id, "SUCCEEDED 1: 3 3 0 0");
    }

    @Test
    void knowNothingOfOthers() {
        UUID unknown = UUID.randomUUID();
        assertThat(operations.findFlow(unknown)).isEmpty();
        assertThat(operations.flowGraph(unknown)).isEmpty();
        assertThatThrownBy(() -> operations.cancelFlow(unknown, false)).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void pageThroughThoseThatMatch() {
        List<UUID> published = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            published.add(0, node.publisher().publish(Batch.of("paged").key(i)));
        }
        published.forEach(id -> flows.await(id, "SUCCEEDED 1: 0 0 0 0"));
        FlowFilter filter = FlowFilter.all().kind(FlowKind.BATCH).name("paged").state(FlowState.SUCCEEDED);
        List<UUID> found = new ArrayList<>();
        JobCursor next = JobCursor.START;
        while (next != null) {
            FlowPage page = operations.findFlows(filter, next, 2);
            page.flows().forEach(flow -> found.add(flow.id()));
            next = page.next();
        }
        assertThat(found).isEqualTo(published);
        assertThat(operations.findFlows(filter.key("3"), JobCursor.START, 10).flows())
                .extracting(FlowSummary::id)
                .containsExactly(published.get(1));
        assertThat(operations
                        .findFlows(filter.state(FlowState.FAILED), JobCursor.START, 10)
                        .flows())
                .isEmpty();
    }

    @Test
    void cancelAWholeBatch() {
        UUID batch = node.publisher().publish(Batch.of("cancelled").add(Job.of("nobody", 1), Job.of("nobody", 2)));
        assertThat(operations.count(JobFilter.of(JobState.PENDING).flow(batch)).jobs())
                .isEqualTo(2);
        assertThat(operations.cancelFlow(batch, false)).isEqualTo(FlowState.RUNNING);
        flows.await(batch, "CANCELLED 1: 2 0 0 2");
        assertThat(operations.cancelFlow(batch, false)).isEqualTo(FlowState.CANCELLED);
    }

    @Test
    void undoWhatIsDoneOfAFlowThatIsCancelled() {
        UUID id = node.publisher().publish(approval());
        await().until(() -> operations.findFlow(id).orElseThrow().done() == 1);
        operations.cancelFlow(id, true);
        await().until(() -> operations.findFlow(id).orElseThrow().state() == FlowState.CANCELLED);
        assertThat(operations.flowGraph(id).orElseThrow().nodes())
                .filteredOn(step -> step.compensates() != null)
                .singleElement()
                .satisfies(step -> {
                    assertThat(step.name()).isEqualTo("compensate:ask");
                    assertThat(step.compensates()).isEqualTo(1);
                    assertThat(step.state()).isEqualTo(StepState.DONE);
                });
    }

    static class Handlers {

        @JobHandler("work")
        void work() {}
    }
}
