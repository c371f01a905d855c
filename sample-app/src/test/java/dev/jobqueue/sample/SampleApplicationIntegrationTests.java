package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@AutoConfigureJobTest
@JobDatabase
class SampleApplicationIntegrationTests {

    @Autowired
    private RestTestClient client;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private JobTester jobs;

    @AfterEach
    void deleteJobs() {
        jobs.deleteAll();
    }

    @Test
    void placesAnOrderAndSendsItsInvoice() {
        Map<String, Object> placed = post("/orders", order("ada@example.org"), HttpStatus.CREATED);
        jobs.drain();
        assertThat(jobs)
                .completed("invoice.send")
                .withResult(Map.of("outcome", "sent", "orderId", placed.get("orderId")));
        assertThat(count("reservation WHERE order_id = " + placed.get("orderId")))
                .isEqualTo(1);
    }

    @Test
    void leavesNeitherOrderNorJobOfARefusedOne() {
        Map<String, Object> problem = post("/orders?fail=true", order("nobody@example.org"), HttpStatus.CONFLICT);
        assertThat(problem).containsEntry("status", 409).containsKey("detail");
        assertThat(count("orders WHERE email = 'nobody@example.org'")).isZero();
        assertThat(jobs).nothingPublished();
    }

    @Test
    void retriesAnInvoiceAndGivesUp() {
        Map<String, Object> placed = post("/orders", order("fail@example.org"), HttpStatus.CREATED);
        jobs.drainIncludingRetries();
        assertThat(jobs).dead("invoice.send").afterAttempts(3);
        assertThat(job(placed.get("jobId")))
                .extracting("errors")
                .asInstanceOf(InstanceOfAssertFactories.list(Map.class))
                .extracting(error -> error.get("message"))
                .as("for customers, so without stack traces")
                .containsExactly(
                        "The mail server does not like this address",
                        "The mail server does not like this address",
                        "The mail server does not like this address");
    }

    @Test
    void publishesManyAtOnce() {
        assertThat(post("/orders/bulk?count=1500", "", HttpStatus.ACCEPTED)).containsEntry("count", 1500);
        jobs.drain();
        assertThat(jobs).completed("order.remind").times(1500);
    }

    @Test
    void buildsAReportInSteps() {
        URI location = startReport(0);
        jobs.crashAfter("count").drain();
        assertThat(jobs).completed("report.build").afterAttempts(2);
        assertThat(get(location.getPath(), HttpStatus.OK).get("result").toString())
                .contains("orders so far");
    }

    @Test
    void cancelsAReport() {
        URI location = startReport(60);
        client.delete().uri(location).exchange().expectStatus().isAccepted();
        assertThat(jobs).cancelled("report.build").once();
    }

    @Test
    void doesNotCancelWhatHasEnded() {
        Object jobId =
                post("/orders", order("eve@example.org"), HttpStatus.CREATED).get("jobId");
        jobs.drain();
        client.delete().uri("/jobs/" + jobId).exchange().expectStatus().isEqualTo(HttpStatus.CONFLICT);
    }

    @Test
    void tidiesOldOrdersAtNight() {
        jdbc.sql("INSERT INTO orders (customer, email, total, created_at)"
                        + " VALUES ('Old', 'old@example.org', 1, now() - interval '2 years')")
                .update();
        jobs.advance(Duration.ofDays(1));
        assertThat(jobs)
                .completed("orders.tidy")
                .withHeader("schedule", "orders.tidy")
                .once();
        assertThat(count("orders WHERE email = 'old@example.org'")).isZero();
    }

    @Test
    void showsAStartPageWithLiveFigures() {
        client.get()
                .uri("/")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .value(page -> assertThat(page).contains("Try it"));
        post("/orders", order("joe@example.org"), HttpStatus.CREATED);
        jobs.drain();
        assertThat(get("/figures", HttpStatus.OK).get("queues").toString())
                .contains("queue=default, state=COMPLETED, count=");
        assertThat(get("/figures", HttpStatus.OK).get("jobs").toString()).contains("type=");
    }

    @Nested
    class BadInput {

        @ParameterizedTest
        @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                {bad                                                              | the body must be a JSON object
                []                                                                | the body must be a JSON object
                {}                                                                | customer must not be blank
                {"customer":" ","email":"ada@example.org","total":1}              | customer must not be blank
                {"customer":"A\\u0000","email":"ada@example.org","total":1}       | customer must not contain control
                {"customer":"\\ud800","email":"ada@example.org","total":1}        | customer must not contain control
                {"customer":"Ada","email":"nonsense","total":1}                   | email must be
                {"customer":"Ada","email":"a\\u0000@example.org","total":1}       | email must be
                {"customer":"Ada","email":"ada@example.org"}                      | total must not be null
                {"customer":"Ada","email":"ada@example.org","total":"much"}       | total cannot be read
                {"customer":"Ada","email":"ada@example.org","total":-1}           | total must be
                {"customer":"Ada","email":"ada@example.org","total":0.001}        | total numeric value out of bounds
                {"customer":"Ada","email":"ada@example.org","total":1e10}         | total numeric value out of bounds
                {"customer":"Ada","email":"ada@example.org","total":1e999999999}  | total numeric value out of bounds
                {"customer":"Ada","email":"ada@example.org","total":1e-999999999} | total numeric value out of bounds
                """)
        void ofAnOrderIsNamed(String body, String detail) {
            Map<String, Object> problem = post("/orders", body, HttpStatus.BAD_REQUEST);
            assertThat(problem).containsEntry("status", 400).containsEntry("title", "Bad Request");
            assertThat(problem.get("detail").toString()).contains(detail);
        }

        @Test
        void isRefusedWhenItIsTooLong() {
            String body = "{\"customer\":\"%s\",\"email\":\"ada@example.org\",\"total\":1}".formatted("x".repeat(201));
            assertThat(post("/orders", body, HttpStatus.BAD_REQUEST)
                            .get("detail")
                            .toString())
                    .startsWith("customer size must be");
        }

        @ParameterizedTest
        @CsvSource({
            "/orders/bulk, 400",
            "/orders/bulk?count=0, 400",
            "/orders/bulk?count=100001, 400",
            "/orders/bulk?count=many, 400",
            "/reports?seconds=-1, 400",
            "/reports?seconds=601, 400",
            "/orders?fail=perhaps, 400",
            "/jobs/00000000-0000-7000-8000-000000000000, 405",
            "/nowhere, 404"
        })
        void ofAPostIsAProblem(String uri, int status) {
            assertThat(post(uri, order("ada@example.org"), HttpStatus.valueOf(status)))
                    .containsEntry("status", status)
                    .containsKeys("title", "detail", "instance");
        }

        @Test
        void isAnIdOfNoJob() {
            String unknown = "/jobs/00000000-0000-7000-8000-000000000000";
            assertThat(get(unknown, HttpStatus.NOT_FOUND)).containsEntry("status", 404);
            client.delete().uri(unknown).exchange().expectStatus().isNotFound();
            assertThat(get("/jobs/nonsense", HttpStatus.BAD_REQUEST)).containsEntry("status", 400);
        }
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

    private long count(String what) {
        return jdbc.sql("SELECT count(*) FROM " + what).query(Long.class).single();
    }
}
