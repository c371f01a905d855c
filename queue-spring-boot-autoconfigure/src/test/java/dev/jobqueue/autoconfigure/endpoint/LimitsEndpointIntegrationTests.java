package dev.jobqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.Rate;
import dev.jobqueue.autoconfigure.endpoint.WebNode.Answer;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

/** Limits over HTTP, with jobs in a queue that no node works. */
class LimitsEndpointIntegrationTests {

    private static WebNode node;
    private static JobLimits limits;
    private static JdbcClient jdbc;

    @BeforeAll
    static void start() {
        node = WebNode.start(
                TestDatabase.create(),
                WebNode.WITHOUT_SECURITY,
                "management.endpoint.queues.access=unrestricted",
                "spring.application.name=shop",
                "queue.limits.crm.running=1",
                "queue.limits.crm.key=account",
                "queue.limits.crm.types=stray");
        limits = node.context.getBean(JobOperations.class).limits();
        jdbc = node.context.getBean(JdbcClient.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void clear() {
        for (String table :
                List.of("job", "waiting", "turn", "hung", "mark", "held", "closing", "lease", "dead_letter")) {
            jdbc.sql("DELETE FROM queue." + table).update();
        }
        limits.remove("order");
        limits.set(LimitDefinition.ofRunning("crm", 1));
    }

    private static UUID publish(Job job) {
        return node.context.getBean(JobPublisher.class).publish(job.queue("elsewhere"));
    }

    private static void claim() {
        jdbc.sql("SELECT id FROM queue.claim('018f0000-0000-7000-8000-000000000026', '{elsewhere}', '{100}')")
                .query()
                .listOfRows();
    }

    @Test
    void listsLimitsWithTheirFigures() throws Exception {
        publish(Job.of("stray", Map.of("account", "a")));
        publish(Job.of("stray", Map.of("account", "a")));
        claim();

        JsonNode found = node.get("/limits").json().get("limits").get(0);
        assertThat(found.get("name").asString()).isEqualTo("crm");
        assertThat(found.get("kind").asString()).isEqualTo("LIMIT");
        assertThat(found.get("running").asInt()).isEqualTo(1);
        assertThat(found.get("rate").isNull()).isTrue();
        assertThat(found.get("held").asInt()).isEqualTo(1);
        assertThat(found.get("waiting").asInt()).isEqualTo(1);
        assertThat(found.get("blockedLanes").asInt()).isZero();
        assertThat(found.get("uses").get(0).get("type").asString()).isEqualTo("stray");
        assertThat(found.get("uses").get(0).get("key").asString()).isEqualTo("account");
        assertThat(node.get("/limit/crm").json()).isEqualTo(found);
        assertThat(node.get("/queue/elsewhere").json().get("waiting").asInt()).isEqualTo(1);
    }

    @Test
    void changesALimit() throws Exception {
        Answer changed = node.post("/limit/crm/set", "{\"running\": 5, \"rate\": \"100/10s\"}");

        assertThat(changed.status()).isEqualTo(200);
        assertThat(changed.json().get("running").asInt()).isEqualTo(5);
        assertThat(changed.json().get("rate").asString()).isEqualTo("100/10s");
        assertThat(changed.json().get("owner").isNull()).isTrue();
        assertThat(limits.find("crm"))
                .hasValueSatisfying(
                        found -> assertThat(found.definition().rate()).isEqualTo(Rate.of("100/10s")));
        assertThat(node.postNothing("/limit/crm/remove").body()).contains("\"done\":\"remove\"");
        assertThat(node.get("/limit/crm").status()).isEqualTo(404);
    }

    @Test
    void showsReleasesClosesAndOpensLanes() throws Exception {
        limits.set(LimitDefinition.ofFifo("order"));
        UUID dead = publish(Job.of("other", Map.of()).limit("order", "a"));
        publish(Job.of("other", Map.of()).limit("order", "a"));
        publish(Job.of("other", Map.of()).limit("order", "b"));
        claim();
        jdbc.sql("SELECT queue.fail(j.id, j.lease, 'no', false) FROM queue.live_job j WHERE j.id = ?")
                .param(dead)
                .query()
                .singleRow();

        assertThat(node.get("/limit/order/lanes").json().get("lanes")).hasSize(2);
        JsonNode page = node.get("/limit/order/lanes?limit=1").json();
        assertThat(page.get("lanes")).hasSize(1);
        assertThat(node.get("/limit/order/lanes?after=" + page.get("next").asString())
                        .json()
                        .get("lanes"))
                .hasSize(1);
        JsonNode blocked = node.get("/limit/order/lanes?blocked=true").json().get("lanes");
        assertThat(blocked).hasSize(1);
        assertThat(blocked.get(0).get("key").asString()).isEqualTo("a");
        assertThat(blocked.get(0).get("blockedBy").asString()).isEqualTo(dead.toString());

        assertThat(node.post("/limit/order/release", "{\"key\": \"a\"}").body()).contains("\"done\":\"release\"");
        assertThat(node.post("/limit/order/release", "{\"key\": \"a\"}").body())
                .contains("nothing: it stands behind no job");
        assertThat(node.post("/limit/order/close", "{\"key\": \"a\", \"duration\": \"1h\"}")
                        .body())
                .contains("\"done\":\"close\"", "\"until\":");
        assertThat(jdbc.sql("SELECT count(*) FROM queue.closing")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
        node.post("/limit/order/open", "{\"key\": \"a\"}");
        assertThat(jdbc.sql("SELECT count(*) FROM queue.closing")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /limit/none/set    | {"running": 1}   | 404 | There is no limit 'none', but there are: crm
                    /limit/crm/set     | {}               | 400 | Nothing is given: say running, rate or burst
                    /limit/crm/set     | {"running": 0}   | 400 | running is '0': must be a number from 1
                    /limit/crm/set     | {"rate": "5"}    | 400 | rate is '5': must be written as 100/s
                    /limit/crm/set     | {"burst": 3}     | 400 | burst is '3': belongs to a rate
                    /limit/crm/release | {"key": "a"}     | 400 | of_limit is 'crm': must be a FIFO limit
                    /limit/crm/close   | {"key": "a"}     | 400 | duration is missing: say for how long
                    /limit/crm/drop    | {}               | 404 | but there are: set, remove, release, close, open
                    """)
    void refusesWhatIsWrong(String path, String body, int status, String problem) throws Exception {
        Answer answer = node.post(path, body);

        assertThat(answer.status()).isEqualTo(status);
        assertThat(answer.json().get("detail").asString()).contains(problem);
    }
}
