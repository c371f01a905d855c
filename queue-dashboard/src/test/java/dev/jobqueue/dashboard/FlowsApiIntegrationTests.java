package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.OnParentDead;
import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class FlowsApiIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final TestDatabase DATABASE = TestDatabase.create();

    private static DashboardNode node;
    private static JobPublisher jobs;

    @BeforeAll
    static void start() {
        node = DashboardNode.local(DATABASE);
        jobs = node.bean(JobPublisher.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static JsonNode get(String path) throws Exception {
        Answer answer = node.get("/api/" + path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static String state(UUID flow) throws Exception {
        return get("flows/" + flow).path("flow").path("state").asString();
    }

    @Test
    void showsAFlowAsAGraphAndSignalsIt() throws Exception {
        UUID id = jobs.publish(Flow.of("order", 7)
                .step("pay", Job.of("work", Map.of()))
                .signal("approved")
                .after("pay")
                .step("ship", Job.of("work", Map.of()))
                .after("approved"));
        await().atMost(PATIENCE)
                .until(() -> get("flows/" + id).path("flow").path("done").asInt() == 1);
        JsonNode graph = get("flows/" + id).path("graph");
        assertThat(graph.path("nodes").findValuesAsString("name")).containsExactly("pay", "approved", "ship");
        assertThat(graph.path("nodes").findValuesAsString("state")).containsExactly("DONE", "FREE", "BLOCKED");
        assertThat(graph.path("edges").path(0).path("from").asInt()).isEqualTo(1);
        assertThat(graph.path("edges").path(0).path("to").asInt()).isEqualTo(2);
        JsonNode waits = get("flows/" + id).path("waits");
        assertThat(waits.path("steps").findValuesAsString("name")).containsExactly("approved");
        assertThat(waits.path("steps").findValuesAsString("code")).containsExactly("SIGNAL");
        assertThat(waits.path("more").asInt()).isZero();
        String ship = graph.path("nodes").path(2).path("jobId").asString();
        assertThat(get("jobs/" + ship).path("state").asString()).isEqualTo("WAITING");
        assertThat(get("jobs/" + ship).path("flowId").asString()).isEqualTo(id.toString());
        assertThat(get("jobs/" + ship).path("flowStep").asString()).isEqualTo("ship");

        Map<String, Object> signal = Map.of("step", "approved", "payload", Map.of("by", "ada"));
        assertThat(node.post("/api/flows/" + id + "/signal", signal).status()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> state(id).equals("SUCCEEDED"));
        assertThat(get("flows/" + id).path("waits").isNull()).isTrue();
        assertThat(node.post("/api/flows/" + id + "/signal", signal).status()).isEqualTo(422);
        JsonNode told = get("audit").path("entries").path(0);
        assertThat(told.path("kind").asString()).isEqualTo("flow");
        assertThat(told.path("action").asString()).isEqualTo("signal");
        assertThat(told.path("target").asString()).isEqualTo(id.toString());
    }

    /** Nothing has begun: the only step that could go on waits until the dead one is replayed. */
    @Test
    void tellsOfTheDeadStepThatAFlowWaitsFor() throws Exception {
        UUID id = jobs.publish(Flow.of("refund", 9)
                .step("charge", Job.of("fail", Map.of("order", 9)))
                .step("tell", Job.of("work", Map.of()))
                .after("charge")
                .onParentDead(OnParentDead.WAIT));
        await().atMost(PATIENCE)
                .until(() -> get("flows/" + id).path("flow").path("dead").asInt() == 1);
        JsonNode step = get("flows/" + id).path("waits").path("steps").path(0);
        assertThat(step.path("name").asString()).isEqualTo("tell");
        assertThat(step.path("why").path(0).path("message").asString()).contains("'charge' (DEAD)");
    }

    @Test
    void listsByFilterAndFindsTheJobs() throws Exception {
        UUID id = jobs.publish(Batch.of("newsletter")
                .key("may")
                .add(List.of(Job.of("work", Map.of()), Job.of("fail", Map.of("order", 1)), Job.of("work", Map.of()))));
        await().atMost(PATIENCE).until(() -> state(id).equals("FAILED"));
        JsonNode flow = get("flows/" + id);
        assertThat(flow.path("graph").isNull()).isTrue();
        assertThat(flow.path("flow").path("total").asInt()).isEqualTo(3);
        assertThat(flow.path("flow").path("dead").asInt()).isEqualTo(1);
        assertThat(get("flows?kind=batch&name=newsletter&key=may&state=failed")
                        .path("flows")
                        .findValuesAsString("id"))
                .containsExactly(id.toString());
        assertThat(get("flows?name=newsletter&state=RUNNING").path("flows").size())
                .isZero();
        assertThat(node.get("/api/flows?state=odd").status()).isEqualTo(422);
        assertThat(get("jobs?q=state:dead%20flow:" + id).path("jobs").size()).isEqualTo(1);
        assertThat(get("jobs?q=state:completed%20flow:" + id).path("jobs").size())
                .isEqualTo(2);
        assertThat(node.get("/api/jobs?q=flow:nonsense").status()).isEqualTo(422);
        assertThat(node.get("/api/flows/" + UUID.randomUUID()).status()).isEqualTo(404);
    }

    @Test
    void cancelsWhatHasNotEnded() throws Exception {
        UUID id = jobs.publish(Batch.of("later").add(Job.of("work", Map.of()).delay(Duration.ofHours(1))));
        assertThat(node.post("/api/flows/" + id + "/burn", "{}").status()).isEqualTo(404);
        assertThat(node.post("/api/flows/" + UUID.randomUUID() + "/cancel", "{}")
                        .status())
                .isEqualTo(404);
        assertThat(node.post("/api/flows/" + id + "/cancel", "{}").status()).isEqualTo(200);
        await().atMost(PATIENCE).until(() -> state(id).equals("CANCELLED"));
    }
}
