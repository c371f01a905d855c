package dev.jobqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Forward;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.Patience;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Brokers over HTTP. */
class ForwardEndpointIntegrationTests {

    @Test
    void tellsSinceWhenABrokerIsNotThereAndWhy() throws Exception {
        try (WebNode node = WebNode.start(
                TestDatabase.create(),
                WebNode.WITHOUT_SECURITY,
                "spring.kafka.bootstrap-servers=localhost:1",
                "queue.forward.timeout=2s")) {
            JobPublisher jobs = node.context.getBean(JobPublisher.class);
            jobs.publish(Forward.kafka("orders").text("a"));

            Patience.await().untilAsserted(() -> {
                JsonNode broker = broker(node);
                assertThat(broker.path("name").asString()).isEqualTo("Kafka");
                assertThat(broker.path("sending").asBoolean()).isFalse();
                assertThat(broker.path("held").asInt()).isEqualTo(1);
                assertThat(broker.path("since").asString()).isNotEmpty();
                assertThat(broker.path("reason").asString()).isEqualTo("no answer from [localhost:1]");
            });
            // one that is not in hand, and so says nothing itself
            UUID behind = jobs.publish(Forward.kafka("orders").text("b"));
            assertThat(node.get("/job/" + behind + "/why")
                            .json()
                            .path("broker")
                            .path("sending")
                            .asBoolean(true))
                    .isFalse();
        }
    }

    private static JsonNode broker(WebNode node) throws Exception {
        return StreamSupport.stream(node.get("").json().path("queues").spliterator(), false)
                .filter(queue -> queue.path("name").asString().equals(Forward.KAFKA))
                .findFirst()
                .orElseThrow()
                .path("broker");
    }
}
