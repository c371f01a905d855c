package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.http.MediaType;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard, the alerts and the table of meters name what the application really tells. */
@SpringBootTest(
        webEnvironment = WebEnvironment.RANDOM_PORT,
        properties = {
            "queue.metrics.refresh=200ms",
            "queue.schedules.nightly.type=report.build",
            "queue.schedules.nightly.cron=@yearly",
            "queue.schedules.nightly.payload.seconds=1"
        })
@AutoConfigureRestTestClient
class OperationsFilesIntegrationTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern METER = Pattern.compile("\\bqueue_[a-z_]+\\b");
    private static final Pattern SELECTOR = Pattern.compile("\\b(queue_[a-z_]+)\\{([^}]*)}");
    private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!=|!~|=)");
    private static final Pattern DOCUMENTED = Pattern.compile("`(queue\\.[a-z.]+)`");

    @Autowired
    private RestTestClient client;

    @Autowired
    private MeterRegistry registry;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        TestDatabase database = TestDatabase.create();
        registry.add("spring.datasource.url", database::jdbcUrl);
        registry.add("spring.datasource.username", database::username);
        registry.add("spring.datasource.password", database::password);
    }

    @BeforeEach
    void handleSomeJobs() {
        client.post()
                .uri("/orders")
                .contentType(MediaType.APPLICATION_JSON)
                .body(Map.of("customer", "Ada", "email", "ada@example.org", "total", 42))
                .exchange()
                .expectStatus()
                .isCreated();
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(scrape())
                        .contains(
                                "queue_jobs_handled_total{",
                                "queue_jobs{",
                                "queue_slots{",
                                "queue_schedule_overdue_seconds{"));
    }

    private String scrape() {
        return Objects.requireNonNull(client.get()
                .uri("/actuator/prometheus")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody());
    }

    @Test
    void theDashboardUsesOnlyMetersThatExist() throws IOException {
        JsonNode dashboard = JsonMapper.shared().readTree(read("ops/grafana-dashboard.json"));
        List<String> expressions = Stream.concat(
                        dashboard.findValuesAsString("expr").stream(),
                        dashboard.at("/templating").findValuesAsString("query").stream()
                                .filter(query -> query.contains("label_values")))
                .toList();
        assertThat(expressions).hasSizeGreaterThan(20);
        checkAll(expressions);
    }

    @Test
    void theAlertsUseOnlyMetersThatExist() throws IOException {
        List<String> expressions = new ArrayList<>();
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(read("ops/prometheus-alerts.yml"));
        Objects.requireNonNull(file.get("groups"))
                .forEach(group -> Objects.requireNonNull(group.get("rules"))
                        .forEach(rule -> expressions.add(String.valueOf(rule.get("expr")))));
        assertThat(expressions).hasSizeGreaterThan(10);
        checkAll(expressions);
    }

    @Test
    void theTableOfMetersIsComplete() throws IOException {
        String section = read("docs/operations.md").replaceAll("(?s)^.*?\n## Meters\n(.*?)\n## .*$", "$1");
        Set<String> documented = section.lines()
                .filter(line -> line.startsWith("| `queue."))
                .map(line -> line.substring(0, line.indexOf('|', 1)))
                .flatMap(cell -> DOCUMENTED.matcher(cell).results())
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> registered = registry.getMeters().stream()
                .map(meter -> meter.getId().getName())
                .filter(name -> name.startsWith("queue.") && !name.endsWith(".active"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(documented).isEqualTo(registered);
    }

    private void checkAll(List<String> expressions) {
        List<String> lines =
                scrape().lines().filter(line -> !line.startsWith("#")).toList();
        Set<String> names =
                lines.stream().map(line -> line.replaceFirst("[{ ].*$", "")).collect(Collectors.toSet());
        for (String expression : expressions) {
            List<String> used =
                    METER.matcher(expression).results().map(MatchResult::group).toList();
            assertThat(used).as(expression).isNotEmpty();
            assertThat(names).as(expression).containsAll(used);
            SELECTOR.matcher(expression)
                    .results()
                    .forEach(selector -> LABEL.matcher(selector.group(2))
                            .results()
                            .forEach(label -> assertThat(lines)
                                    .as(expression)
                                    .anyMatch(line -> line.startsWith(selector.group(1) + "{")
                                            && line.contains(label.group(1) + "=\""))));
        }
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
