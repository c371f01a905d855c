package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@AutoConfigureJobTest
@JobDatabase
class ShippingIntegrationTests {

    private static final ParameterizedTypeReference<Map<String, Object>> OBJECT = new ParameterizedTypeReference<>() {};

    @Autowired
    private RestTestClient client;

    @Autowired
    private JobTester jobs;

    @AfterEach
    void deleteJobs() {
        jobs.deleteAll();
    }

    @Test
    void shipsAnOrder() {
        Object id = post("/shipments");
        jobs.drain();
        assertThat(show(id))
                .containsEntry("state", "SUCCEEDED")
                .containsEntry(
                        "steps",
                        List.of(
                                "pay: DONE",
                                "pack: DONE",
                                "label[0]: DONE",
                                "label[1]: DONE",
                                "label[2]: DONE",
                                "mail: DONE"));
        assertThat(jobs).completed("order.mail").once();
    }

    @Test
    void refundsAnOrderThatIsOutOfStock() {
        Object id = post("/shipments?fail=true");
        jobs.drain();
        assertThat(show(id)).containsEntry("state", "FAILED").containsEntry("dead", 1);
        assertThat(jobs).completed("order.refund").once();
    }

    @Test
    void reportsANewsletterOnce() {
        Object id = post("/newsletters?readers=50");
        jobs.drain();
        assertThat(show(id)).containsEntry("state", "SUCCEEDED").containsEntry("done", 50);
        assertThat(jobs).completed("newsletter.report").once();
    }

    @Test
    void knowsNoOtherFlows() {
        client.get()
                .uri("/flows/01a1eefb-b266-7792-851d-807856215013")
                .exchange()
                .expectStatus()
                .isNotFound();
    }

    private Object post(String path) {
        Map<String, Object> body = client.post()
                .uri(path)
                .exchange()
                .expectStatus()
                .isAccepted()
                .expectBody(OBJECT)
                .returnResult()
                .getResponseBody();
        return Objects.requireNonNull(Objects.requireNonNull(body).get("flowId"));
    }

    private Map<String, Object> show(Object id) {
        return Objects.requireNonNull(client.get()
                .uri("/flows/" + id)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(OBJECT)
                .returnResult()
                .getResponseBody());
    }
}
