package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Two nodes work and resolve the same flows, and one of them is killed. */
class FlowClusterIntegrationTests {

    private static final int FLOWS = 40;
    private static final int MEMBERS = 400;

    private static final String[] QUICK_BEATS = {
        "queue.worker.heartbeat-interval=200ms", "queue.worker.ttl=4s", "queue.worker.poll-interval=1s"
    };

    private final TestDatabase database = TestDatabase.create();
    private final FlowRows flows = new FlowRows(database);
    private final JobRows rows = new JobRows(database);

    private static Flow flow() {
        Job step = Job.of("cluster.step", null);
        return Flow.of("cluster")
                .step("first", step)
                .each("middle", List.of(1, 2, 3), item -> step)
                .after("first")
                .step("last", step)
                .after("middle")
                .onFinish(Job.of("cluster.finish", null));
    }

    @Test
    void finishEachFlowOnceAlthoughANodeIsKilled() throws Exception {
        String[] arguments = Stream.of(QUICK_BEATS).map(each -> "--" + each).toArray(String[]::new);
        try (Node node = Node.start(database, FlowNode.Steps.class, QUICK_BEATS)) {
            Process other = ClusterNode.start(database, FlowNode.class, arguments);
            try {
                await().until(() -> flows.count("worker") == 2);
                List<UUID> published = IntStream.range(0, FLOWS)
                        .mapToObj(i -> node.publisher().publish(flow()))
                        .toList();
                UUID batch = node.publisher()
                        .publish(Batch.of("cluster")
                                .add(Stream.generate(() -> Job.of("cluster.step", null))
                                        .limit(MEMBERS))
                                .onFinish(Job.of("cluster.finish", null)));
                await().until(() -> doneByOthersThan(node) > 20);
                other.destroyForcibly().waitFor();
                published.forEach(id -> flows.await(id, "SUCCEEDED 1: 5 5 0 0"));
                flows.await(batch, "SUCCEEDED 1: %d %d 0 0".formatted(MEMBERS, MEMBERS));
            } finally {
                other.destroyForcibly();
            }
            rows.awaitCount(JobState.COMPLETED, "cluster.finish", FLOWS + 1);
            assertThat(flows.headers("cluster.finish"))
                    .extracting(each -> Map.copyOf(each).get("flow"))
                    .doesNotHaveDuplicates();
            assertThat(flows.count("flow_tick")).isZero();
        }
    }

    private long doneByOthersThan(Node node) {
        return rows.jdbc()
                .sql("SELECT count(*) FROM queue.job_history WHERE worker_id <> ?")
                .param(node.workerId())
                .query(Long.class)
                .single();
    }
}
