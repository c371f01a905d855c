package dev.jobqueue.autoconfigure.endpoint;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class FlowsEndpointIntegrationTests {

    private static final WebNode node = WebNode.start(
            TestDatabase.create(), WebNode.WITHOUT_SECURITY, "management.endpoint.queues.access=unrestricted");

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void listsShowsAndCancels() throws Exception {
        UUID id = node.context
                .getBean(JobPublisher.class)
                .publish(Flow.of("order", 7)
                        .step("work", Job.of("work", null))
                        .step("wait", Job.of("nobody", null))
                        .after("work"));
        await().untilAsserted(() ->
                assertThat(node.get("/flow/" + id).json().at("/done").asInt()).isEqualTo(1));
        JsonNode listed = node.get("/flows?kind=flow&state=running&name=order&key=7&limit=5")
                .json();
        assertThat(listed.at("/flows/0/id").asString()).isEqualTo(id.toString());
        assertThat(node.get("/flows?name=other").json().at("/flows").size()).isZero();
        assertThat(node.get("/flows?state=waiting").status()).isEqualTo(400);
        JsonNode shown = node.get("/flows/" + id).json();
        assertThat(shown.at("/steps/1/name").asString()).isEqualTo("wait");
        assertThat(shown.at("/steps/1/state").asString()).isEqualTo("FREE");
        assertThat(shown.at("/edges/0/from").asInt()).isEqualTo(1);
        String job = shown.at("/steps/1/jobId").asString();
        assertThat(node.get("/job/" + job).json().at("/flowStep").asString()).isEqualTo("wait");
        assertThat(node.get("/flow/" + UUID.randomUUID()).status()).isEqualTo(404);
        assertThat(node.postNothing("/flow/" + id + "/sing").status()).isEqualTo(404);
        assertThat(node.postNothing("/flow/" + id + "/cancel")
                        .json()
                        .at("/done")
                        .asString())
                .isEqualTo("cancel");
        await().untilAsserted(() -> assertThat(
                        node.get("/flow/" + id).json().at("/state").asString())
                .isEqualTo("CANCELLED"));
    }
}
