package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.dashboard.DashboardNode.Handlers;
import dev.jobqueue.dashboard.Statements.Executed;
import dev.jobqueue.postgres.TestDatabase;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * More than a hundred thousand of everything: no statement of any page reads more than a fixed number of rows. The
 * plans come from auto_explain, which also sees the statements inside of functions.
 */
class VeryManyJobsIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    /** Rows that one scan may read, and all times it is repeated: all tables have at least twice as many. */
    private static final long MOST_ROWS = 20_000;

    private static final long MOST_IN_ALL = 60_000;

    private static final long MOST_BLOCKS = 25_000;

    /** How a plan was executed, where tables of jobs and the like are read. */
    private static final Pattern SCAN = Pattern.compile(
            "(?<kind>\\w+(?: Only)?) Scan (?:Backward )?(?:using \\w+ )?on (?<table>[a-z_]+)\\b.*actual .*rows=(?<rows>[\\d.]+)"
                    + " loops=(?<loops>\\d+)\\)(?<rest>(?:\\n(?! *->).*)*)");

    private static final Pattern REMOVED = Pattern.compile("Rows Removed by Filter: (\\d+)");

    private static final Pattern BLOCKS = Pattern.compile("Buffers: shared(?: hit=(\\d+))?(?: read=(\\d+))?");

    private static final List<String> SMALL = List.of(
            "worker", "lease", "epoch", "setting", "queue", "job_limit", "limit_use", "held", "schedule", "hung");

    private static DashboardNode node;
    private static Statements statements;

    @BeforeAll
    static void start() throws Exception {
        node = DashboardNode.start(
                DATABASE,
                Explained.class,
                DashboardNode.WITHOUT_SECURITY,
                "queue.worker.enabled=false",
                "spring.datasource.hikari.connection-init-sql=LOAD 'auto_explain';"
                        + " SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on;"
                        + " SET auto_explain.log_analyze = on; SET auto_explain.log_buffers = on;"
                        + " SET auto_explain.log_timing = off; SET auto_explain.log_level = notice");
        statements = node.bean(Statements.class);
        try (Connection connection = DATABASE.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(resource("very-many.sql"));
            statement.execute("VACUUM ANALYZE");
        }
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static String resource(String name) throws Exception {
        try (var stream = VeryManyJobsIntegrationTests.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(stream).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "overview",
                "queues",
                "charts?window=1d",
                "charts?window=5m&queue=q1&type=t1",
                "complete?q=type:t",
                "complete?q=queue:q",
                "dead",
                "schedules",
                "nodes",
                "audit",
                "audit?after=60000",
                "limits",
                "lanes?limit=crm",
                "lanes?limit=ledger",
                "lanes?limit=rare",
                "lanes?limit=crm&after=0",
                "lanes?limit=rare&after=key:17",
                "lanes?limit=ledger&blocked=true",
                "flows",
                "flows?name=none",
                "flows?kind=FLOW&state=FAILED",
                "flows/00000000-0000-0000-0000-000000000001"
            })
    void areNotReadByAnyPage(String path) throws Exception {
        readLittle(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "state:pending",
                "state:pending queue:q1",
                "state:pending type:t1",
                "state:pending type:none",
                "state:pending error:none",
                "key:key-70",
                "state:scheduled",
                "state:scheduled type:none queue:q1",
                "state:scheduled error:none",
                "state:waiting",
                "state:waiting type:none",
                "state:running",
                "state:running type:none",
                "state:dead",
                "state:dead queue:q1",
                "state:dead type:t1",
                "state:dead queue:q1 type:t1",
                "state:dead key:none",
                "state:dead error:none",
                "state:dead before:1h type:t2",
                "fingerprint:0000000000000000",
                "fingerprint:0000000000000007",
                "state:completed",
                "state:completed type:none",
                "state:completed queue:q1 since:1h",
                "state:cancelled type:t1",
                "flow:00000000-0000-0000-0000-000000000001",
                "type:none error:none"
            })
    void areNotReadByAnySearch(String query) throws Exception {
        readLittle("jobs?q=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PENDING jobs.ready",
                "WAITING jobs.waiting",
                "RUNNING jobs.lease",
                "DEAD jobs.dead_letter",
                "COMPLETED jobs.job_history"
            })
    void areNotReadByThePageOfAJob(String which) throws Exception {
        String table = which.replaceFirst(".*\\.", "");
        try (Connection connection = DATABASE.connect();
                Statement statement = connection.createStatement();
                var found = statement.executeQuery("SELECT %s FROM queue.%s OFFSET %d LIMIT 1"
                        .formatted(
                                table.equals("lease") ? "ids[1]" : "id", table, table.equals("lease") ? 7 : 60_001))) {
            found.next();
            readLittle("jobs/" + found.getString(1));
        }
    }

    @Test
    void knowAScanWhenTheySeeOne() throws Exception {
        statements.take();
        try (Connection connection = node.bean(javax.sql.DataSource.class).getConnection();
                var statement =
                        connection.prepareStatement("SELECT count(*) FROM queue.dead_letter WHERE queue = 'q1'")) {
            statement.executeQuery();
        }
        assertThat(faults(statements.take())).isNotEmpty();
    }

    private static void readLittle(String path) throws Exception {
        node.bean(Overview.class).forget();
        statements.take();
        Answer answer = node.get("/api/" + path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        List<Executed> executed = statements.take();
        assertThat(executed)
                .as("statements")
                .hasSizeBetween(1, 8)
                .allSatisfy(each ->
                        assertThat(each.notices()).as("plans of %s", each.sql()).isNotEmpty());
        assertThat(faults(executed)).isEmpty();
    }

    /** Plans that read too much. */
    private static List<String> faults(List<Executed> executed) {
        List<String> faults = new ArrayList<>();
        for (Executed each : executed) {
            String plans = String.join("\n", each.notices());
            Matcher scan = SCAN.matcher(plans);
            while (scan.find()) {
                Matcher removed = REMOVED.matcher(scan.group("rest"));
                double rows = Double.parseDouble(scan.group("rows"))
                        + (removed.find() ? Double.parseDouble(removed.group(1)) : 0);
                boolean whole = scan.group("kind").equals("Seq") && !SMALL.contains(scan.group("table"));
                long loops = Long.parseLong(scan.group("loops"));
                if (whole || rows > MOST_ROWS || loops > MOST_ROWS || rows * loops > MOST_IN_ALL) {
                    faults.add(each.sql() + ": " + scan.group());
                }
            }
            Matcher blocks = BLOCKS.matcher(plans);
            while (blocks.find()) {
                long read = number(blocks.group(1)) + number(blocks.group(2));
                if (read > MOST_BLOCKS) {
                    faults.add(each.sql() + ": " + read + " blocks");
                }
            }
        }
        return faults;
    }

    private static long number(String text) {
        return text == null ? 0 : Long.parseLong(text);
    }

    @Configuration(proxyBeanMethods = false)
    static class Explained extends Handlers {

        @Bean
        static Statements statements() {
            return new Statements();
        }
    }
}
