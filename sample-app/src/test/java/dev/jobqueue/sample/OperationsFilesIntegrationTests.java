package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Batch;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
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
            "queue.forward.kafka.enabled=true",
            "queue.schedules.nightly.type=report.build",
            "queue.schedules.nightly.cron=@yearly",
            "queue.schedules.nightly.payload.seconds=1",
            "queue.limits.partner.running=1"
        })
@AutoConfigureRestTestClient
class OperationsFilesIntegrationTests {

    private static final Path ROOT = Path.of("..");
    private static final Pattern METER = Pattern.compile("\\bqueue_[a-z_]+\\b");
    private static final Pattern SELECTOR = Pattern.compile("\\b(queue_[a-z_]+)\\{([^}]*)}");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*(?:=~|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([^)]*)\\)");
    private static final Pattern LABEL_VALUES = Pattern.compile("label_values\\((\\w+)(?:\\{.*})?, (\\w+)\\)");
    private static final Pattern IN_TEXT = Pattern.compile("\\$labels\\.(\\w+)");

    /** Prometheus itself adds these. */
    private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

    private static final Pattern DOCUMENTED = Pattern.compile("`(queue\\.[a-z.]+)`");

    @Autowired
    private RestTestClient client;

    @Autowired
    private JobPublisher jobs;

    @Autowired
    private MeterRegistry registry;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        TestDatabase.create().addTo(registry::add);
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
        client.post().uri("/shipments").exchange().expectStatus().isAccepted();
        jobs.publish(Batch.of("waiting").key("once").add(Job.of("nobody", null)));
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(scrape())
                        .contains(
                                "queue_flows_running{",
                                "queue_flows_finished_seconds_count{",
                                "queue_jobs_handled_total{",
                                "queue_jobs{",
                                "queue_slots{",
                                "queue_limit_running{",
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

    private static JsonNode dashboard() throws IOException {
        return JsonMapper.shared().readTree(read("ops/grafana-dashboard.json"));
    }

    @Test
    void theDashboardUsesOnlyMetersThatExist() throws IOException {
        List<String> expressions = dashboard().findValuesAsString("expr");
        assertThat(expressions).hasSizeGreaterThan(30);
        checkAll(expressions);
        List<String> variables = dashboard().at("/templating").findValuesAsString("definition");
        assertThat(variables).hasSize(4);
        Scrape scrape = new Scrape(scrape());
        for (String variable : variables) {
            MatchResult call =
                    LABEL_VALUES.matcher(variable).results().findFirst().orElseThrow();
            scrape.checkLabel(variable, call.group(1), call.group(2));
        }
    }

    @Test
    void theDashboardHasARowForEachQuestionAndNoPanelOverAnother() throws IOException {
        Set<String> rows = new TreeSet<>();
        Set<String> cells = new HashSet<>();
        Set<Integer> ids = new HashSet<>();
        for (JsonNode panel : dashboard().at("/panels")) {
            assertThat(ids.add(panel.at("/id").asInt())).isTrue();
            if (panel.at("/type").asString().equals("row")) {
                rows.add(panel.at("/title").asString());
            }
            JsonNode place = panel.at("/gridPos");
            for (int x = 0; x < place.at("/w").asInt(); x++) {
                for (int y = 0; y < place.at("/h").asInt(); y++) {
                    assertThat(cells.add((place.at("/x").asInt() + x) + ","
                                    + (place.at("/y").asInt() + y)))
                            .as(panel.at("/title").asString())
                            .isTrue();
                }
            }
        }
        assertThat(rows).contains("Depth", "Throughput", "Latency", "Failures", "Nodes", "Schedules", "PostgreSQL");
    }

    @Test
    void theAlertsUseOnlyMetersThatExist() throws IOException {
        List<String> expressions = new ArrayList<>();
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(read("ops/prometheus-alerts.yml"));
        Objects.requireNonNull(file.get("groups"))
                .forEach(group -> Objects.requireNonNull(group.get("rules")).forEach(rule -> {
                    String expression = String.valueOf(rule.get("expr"));
                    expressions.add(expression);
                    checkText(expression, String.valueOf(rule.get("annotations")));
                }));
        assertThat(expressions).hasSizeGreaterThan(10);
        checkAll(expressions);
    }

    /** What an alert says of labels is there once they are aggregated. */
    private static void checkText(String expression, String text) {
        IN_TEXT.matcher(text)
                .results()
                .map(match -> match.group(1))
                .forEach(label -> assertThat(GROUPING.matcher(expression).results())
                        .as("%s has %s", expression, label)
                        .allMatch(grouping ->
                                List.of(grouping.group(1).split(", ")).contains(label)));
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
        Scrape scrape = new Scrape(scrape());
        for (String expression : expressions) {
            List<String> used =
                    METER.matcher(expression).results().map(MatchResult::group).toList();
            assertThat(used).as(expression).isNotEmpty();
            used.forEach(meter -> scrape.checkMeter(expression, meter));
            SELECTOR.matcher(expression)
                    .results()
                    .forEach(selector -> MATCHER.matcher(selector.group(2))
                            .results()
                            .forEach(label ->
                                    scrape.checkValue(expression, selector.group(1), label.group(1), label.group(2))));
            GROUPING.matcher(expression)
                    .results()
                    .flatMap(grouping -> Stream.of(grouping.group(1).split(", ")))
                    .forEach(label -> used.forEach(meter -> scrape.checkLabel(expression, meter, label)));
        }
    }

    /** The lines that the application told. */
    private record Scrape(List<String> lines) {

        Scrape(String text) {
            this(text.lines().filter(line -> !line.startsWith("#")).toList());
        }

        void checkMeter(String expression, String meter) {
            assertThat(lines).as(expression).anyMatch(line -> line.matches(meter + "[{ ].*"));
        }

        void checkLabel(String expression, String meter, String label) {
            if (!OF_THE_TARGET.contains(label)) {
                assertThat(lines)
                        .as("%s: %s of %s", expression, label, meter)
                        .anyMatch(line -> line.matches(meter + "\\{(.*,)?" + label + "=\".*"));
            }
        }

        /** Each value that is named, such as both of {@code retried|dead}, is one that the application tells. */
        void checkValue(String expression, String meter, String label, String value) {
            checkLabel(expression, meter, label);
            if (!value.contains("$")) {
                for (String each : value.split("\\|", -1)) {
                    assertThat(lines)
                            .as("%s: %s=%s of %s", expression, label, each, meter)
                            .anyMatch(line -> line.matches(meter + "\\{(.*,)?" + label + "=\"" + each + "\"[,}].*"));
                }
            }
        }
    }

    private static String read(String file) throws IOException {
        return Files.readString(ROOT.resolve(file));
    }
}
