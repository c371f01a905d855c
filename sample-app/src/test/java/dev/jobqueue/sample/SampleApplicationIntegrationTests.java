package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.postgres.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "queue.retry[invoice.send].backoff=100ms")
@AutoConfigureRestTestClient
class SampleApplicationIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Autowired
    private RestTestClient client;

    @Autowired
    private JdbcClient jdbc;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        TestDatabase database = TestDatabase.create();
        registry.add("spring.datasource.url", database::jdbcUrl);
        registry.add("spring.datasource.username", database::username);
        registry.add("spring.datasource.password", database::password);
    }

    @Test
    void placesAnOrderAndSendsItsInvoice() {
        Map<String, Object> placed = post("/orders", order("ada@example.org"), HttpStatus.CREATED);
        awaitState(placed.get("jobId"), "COMPLETED");
        assertThat(job(placed.get("jobId")))
                .extracting("result")
                .isEqualTo(Map.of("outcome", "sent", "orderId", placed.get("orderId")));
        await().atMost(PATIENCE).until(() -> count("reservation WHERE order_id = " + placed.get("orderId")) == 1);
    }

    @Test
    void leavesNeitherOrderNorJobOfARefusedOne() {
        Map<String, Object> problem = post("/orders?fail=true", order("nobody@example.org"), HttpStatus.CONFLICT);
        assertThat(problem).containsEntry("status", 409).containsKey("detail");
        assertThat(count("orders WHERE email = 'nobody@example.org'")).isZero();
        assertThat(count("queue.job WHERE payload ->> 'email' = 'nobody@example.org'"))
                .isZero();
    }

    @Test
    void retriesAnInvoiceAndGivesUp() {
        Map<String, Object> placed = post("/orders", order("fail@example.org"), HttpStatus.CREATED);
        awaitState(placed.get("jobId"), "DEAD");
        assertThat(job(placed.get("jobId")).get("errors").toString()).contains("does not like this address");
        assertThat(job(placed.get("jobId"))).containsEntry("attempt", 3);
    }

    @Test
    void publishesManyAtOnce() {
        assertThat(post("/orders/bulk?count=1500", "", HttpStatus.ACCEPTED)).containsEntry("count", 1500);
        await().atMost(PATIENCE)
                .until(() -> count("queue.job_history WHERE type = 'order.remind' AND state = 'COMPLETED'") == 1500);
    }

    @Test
    void buildsAReportInSteps() {
        URI location = startReport(0);
        awaitState(location.getPath().substring("/jobs/".length()), "COMPLETED");
        assertThat(get(location.getPath(), HttpStatus.OK).get("result").toString())
                .contains("orders so far");
    }

    @Test
    void cancelsAReportThatIsBeingBuilt() {
        URI location = startReport(60);
        await().atMost(PATIENCE)
                .until(() -> "counting orders"
                        .equals(get(location.getPath(), HttpStatus.OK).get("stage")));
        client.delete().uri(location).exchange().expectStatus().isAccepted();
        awaitState(location.getPath().substring("/jobs/".length()), "CANCELLED");
    }

    @Test
    void answersBadInputWithProblemDetails() {
        String bad = "{\"customer\":\"\",\"email\":\"nonsense\",\"total\":-1}";
        assertThat(post("/orders", bad, HttpStatus.BAD_REQUEST)).containsEntry("title", "Bad Request");
        assertThat(post("/orders/bulk?count=0", "", HttpStatus.BAD_REQUEST)).containsEntry("status", 400);
        assertThat(get("/jobs/00000000-0000-7000-8000-000000000000", HttpStatus.NOT_FOUND))
                .containsEntry("status", 404);
        assertThat(get("/jobs/nonsense", HttpStatus.BAD_REQUEST)).containsEntry("status", 400);
    }

    private URI startReport(int seconds) {
        URI location = client.post()
                .uri("/reports?seconds=" + seconds)
                .exchange()
                .expectStatus()
                .isAccepted()
                .returnResult()
                .getResponseHeaders()
                .getLocation();
        assertThat(location).isNotNull();
        return location;
    }

    private static String order(String email) {
        return "{\"customer\":\"Ada\",\"email\":\"%s\",\"total\":42.50}".formatted(email);
    }

    private Map<String, Object> post(String uri, String body, HttpStatus expected) {
        return client.post()
                .uri(uri)
                .contentType(MediaType.APPLICATION_JSON)
                .body(body)
                .exchange()
                .expectStatus()
                .isEqualTo(expected)
                .returnResult(new ParameterizedTypeReference<Map<String, Object>>() {})
                .getResponseBody();
    }

    private Map<String, Object> get(String uri, HttpStatus expected) {
        return client.get()
                .uri(uri)
                .exchange()
                .expectStatus()
                .isEqualTo(expected)
                .returnResult(new ParameterizedTypeReference<Map<String, Object>>() {})
                .getResponseBody();
    }

    private Map<String, Object> job(Object id) {
        return get("/jobs/" + id, HttpStatus.OK);
    }

    private void awaitState(Object jobId, String state) {
        await().atMost(PATIENCE).until(() -> state.equals(job(jobId).get("state")));
    }

    private long count(String what) {
        return jdbc.sql("SELECT count(*) FROM " + what).query(Long.class).single();
    }
}
