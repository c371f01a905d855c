package dev.jobqueue.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.sample.SampleApplication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The afternoon with the sample and the health of docs/operations.md, as they come out of the sample. */
@SpringBootTest(
        classes = SampleApplication.class,
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {"management.endpoint.queues.access=unrestricted", "queue.retry[invoice.send].backoff=10ms"})
@AutoConfigureRestTestClient
class OperationsPageIntegrationTests {

    private static final MarkdownPage PAGE = new MarkdownPage(Path.of("../docs/operations.md"));
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final Pattern FIELD = Pattern.compile(
            // possessive: a stack trace is long, and each of its characters would take a frame of the stack
            "\"(\\w+)\":\\s*(\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|[\\w.]+)?");

    /** Fields whose values are others each time. */
    private static final Set<String> VARYING = Set.of(
            "id",
            "jobId",
            "at",
            "next",
            "error",
            "message",
            "detail",
            "host",
            "pid",
            "startedAt",
            "sinceBeat",
            "running",
            "used",
            "nextRunAt",
            "lastRunAt",
            "fired",
            "waitSeconds",
            "runSeconds");

    /** Ids of the page and what they are here. */
    private final Map<String, String> ids = new HashMap<>();

    @Autowired
    private RestTestClient client;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        TestDatabase.create().addTo(registry::add);
    }

    @Test
    void theEndpointAnswersAsThePageSays() {
        List<ConsoleStep> steps = ConsoleStep.in(PAGE.block("console").text());
        assertThat(steps).hasSizeGreaterThan(10);
        String dead = place("fail@example.org");
        await().atMost(Duration.ofSeconds(60))
                .until(() ->
                        call(new ConsoleStep("/job/" + dead, false, null, "")).contains("\"state\":\"DEAD\""));
        for (ConsoleStep step : steps) {
            ID.matcher(step.path())
                    .results()
                    .forEach(id ->
                            ids.computeIfAbsent(id.group(), page -> ids.isEmpty() ? dead : place("ada@example.org")));
            if (step.post()) {
                check(step);
            } else {
                // a job that this node published for itself is pending again once the node has seen the pause
                await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> check(step));
            }
        }
    }

    private void check(ConsoleStep step) {
        assertThat(fields(call(step))).as("answer of %s", step).containsAll(fields(step.answer()));
    }

    private String place(String email) {
        Map<?, ?> placed = client.post()
                .uri("/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("customer", "Ada", "email", email, "total", 42))
                .exchange()
                .expectStatus()
                .isCreated()
                .expectBody(Map.class)
                .returnResult()
                .getResponseBody();
        return String.valueOf(placed.get("jobId"));
    }

    private String call(ConsoleStep step) {
        String path = step.path();
        for (Map.Entry<String, String> id : ids.entrySet()) {
            path = path.replace(id.getKey(), id.getValue());
        }
        RestTestClient.RequestHeadersSpec<?> request = client.get().uri("/actuator/queues" + path);
        if (step.post()) {
            request = client.post()
                    .uri("/actuator/queues" + path)
                    .contentType(MediaType.APPLICATION_JSON)
                    .body(step.body() == null ? "{}" : step.body());
        }
        return String.valueOf(
                request.exchange().expectBody(String.class).returnResult().getResponseBody());
    }

    /** Names, with their values where these are always the same. */
    private static Set<String> fields(String json) {
        Set<String> fields = new TreeSet<>();
        FIELD.matcher(json).results().forEach(field -> {
            boolean same = field.group(2) != null && !VARYING.contains(field.group(1));
            fields.add(same ? field.group(1) + " = " + field.group(2) : field.group(1));
        });
        return fields;
    }

    @Test
    void healthHasTheFieldsThatThePageShows() {
        JsonNode shown = JsonMapper.shared().readTree(PAGE.block("json").text()).path("details");
        JsonNode real = JsonMapper.shared()
                .readTree(client.get()
                        .uri("/actuator/health/queue")
                        .exchange()
                        .expectBody(String.class)
                        .returnResult()
                        .getResponseBody())
                .path("details");
        assertThat(real.propertyNames()).containsExactlyInAnyOrderElementsOf(shown.propertyNames());
        for (String part : List.of("worker", "database")) {
            assertThat(real.path(part).propertyNames())
                    .containsExactlyInAnyOrderElementsOf(shown.path(part).propertyNames());
        }
    }
}
