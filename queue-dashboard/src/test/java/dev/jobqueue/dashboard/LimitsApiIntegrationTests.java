package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.Rate;
import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class LimitsApiIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final TestDatabase DATABASE = TestDatabase.create();

    private static DashboardNode node;
    private static JobPublisher jobs;
    private static JobOperations operations;
    private static JobLimits limits;

    @BeforeAll
    static void start() {
        node = DashboardNode.local(DATABASE);
        jobs = node.bean(JobPublisher.class);
        operations = node.bean(JobOperations.class);
        limits = operations.limits();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static JsonNode get(String path) throws Exception {
        Answer answer = node.get("/api/" + path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode act(String action, Map<String, ?> body) throws Exception {
        Answer answer = node.post("/api/limits/" + action, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode limit(String name) throws Exception {
        return get("limits")
                .valueStream()
                .filter(each -> each.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static JsonNode lane(String limit) throws Exception {
        return get("lanes?limit=" + limit).path("lanes").path(0);
    }

    private static JobState state(UUID id) {
        return operations.find(id).orElseThrow().state();
    }

    @Test
    void tellsWhatLimitsAndLanesDo() throws Exception {
        limits.set(LimitDefinition.ofRunning("crm", 2).rate(Rate.of("100/10s")).burst(7));
        limits.useForType("crm.sync", Map.of("crm", "account"));
        UUID id = jobs.publish(Job.of("crm.sync", Map.of("account", "acc-7")));
        jobs.publish(Job.of("crm.sync", Map.of("account", "acc-7")));

        JsonNode limit = limit("crm");
        assertThat(limit.path("kind").asString()).isEqualTo("LIMIT");
        assertThat(limit.path("running").asInt()).isEqualTo(2);
        assertThat(limit.path("rate").asString()).isEqualTo("100/10s");
        assertThat(limit.path("burst").asInt()).isEqualTo(7);
        assertThat(limit.path("atLimit").asString()).isEqualTo("WAIT");
        assertThat(limit.path("waiting").asInt()).isEqualTo(2);
        assertThat(limit.path("uses").path(0).path("type").asString()).isEqualTo("crm.sync");
        assertThat(limit.path("uses").path(0).path("key").asString()).isEqualTo("account");
        JsonNode lane = lane("crm");
        assertThat(lane.path("key").asString()).isEqualTo("acc-7");
        assertThat(lane.path("waiting").asInt()).isEqualTo(2);
        assertThat(lane.path("running").asInt()).isEqualTo(2);
        assertThat(lane.path("oldestMs").isNumber()).isTrue();

        JsonNode job = get("jobs/" + id);
        assertThat(job.path("state").asString()).isEqualTo("WAITING");
        assertThat(job.path("limits").path("crm").asString()).isEqualTo("acc-7");
        assertThat(get("jobs?q=state:waiting%20type:crm.sync").path("jobs").size())
                .isEqualTo(2);
        await().atMost(PATIENCE)
                .until(() -> get("overview")
                        .path("queues")
                        .valueStream()
                        .anyMatch(each -> each.path("waiting").asInt() == 2));
        assertThat(node.get("/api/lanes").status()).isEqualTo(422);
    }

    @Test
    void changesALimitAndTakesThatBack() throws Exception {
        limits.set(LimitDefinition.ofRunning("changed", 2).weight("big", 3));
        Map<String, Object> values = new LinkedHashMap<>(Map.of("name", "changed", "rate", "5/s", "burst", 3));
        values.put("running", null);
        long entry = act("change", values).path("undo").path("id").asLong();

        LimitDefinition changed = limits.find("changed").orElseThrow().definition();
        assertThat(changed.running()).isNull();
        assertThat(changed.rate()).isEqualTo(Rate.of("5/s"));
        assertThat(changed.burst()).isEqualTo(3);
        assertThat(changed.weights()).containsEntry("big", 3);
        JsonNode told = get("audit").path("entries").path(0);
        assertThat(told.path("kind").asString()).isEqualTo("limit");
        assertThat(told.path("action").asString()).isEqualTo("change");
        assertThat(told.path("target").asString()).isEqualTo("changed");

        assertThat(node.post("/api/audit/" + entry + "/undo", "{}").status()).isEqualTo(200);
        LimitDefinition before = limits.find("changed").orElseThrow().definition();
        assertThat(before.running()).isEqualTo(2);
        assertThat(before.rate()).isNull();
    }

    @Test
    void removesALimitAndTakesThatBack() throws Exception {
        LimitDefinition turns = LimitDefinition.ofFairShare("turns").weight("big", 3);
        limits.set(turns);
        act("change", Map.of("name", "turns", "weights", Map.of("big", 5, "*", 2)));
        assertThat(limits.find("turns").orElseThrow().definition().weights()).isEqualTo(Map.of("big", 5, "*", 2));

        long entry =
                act("remove", Map.of("name", "turns")).path("undo").path("id").asLong();
        assertThat(limits.find("turns")).isEmpty();
        assertThat(node.post("/api/limits/remove", Map.of("name", "turns")).status())
                .isEqualTo(404);
        assertThat(node.post("/api/audit/" + entry + "/undo", "{}").status()).isEqualTo(200);
        assertThat(limits.find("turns").orElseThrow().definition())
                .isEqualTo(LimitDefinition.ofFairShare("turns").weight("big", 5).weight("*", 2));
    }

    @Test
    void appliesALimitToATypeBesidesItsOthersAndLiftsIt() throws Exception {
        limits.set(LimitDefinition.ofRunning("one", 1));
        limits.set(LimitDefinition.ofRunning("two", 2));
        limits.useForType("limited", Map.of("one", "account"));
        long entry = act("apply", Map.of("name", "two", "type", "limited", "key", "header:tenant"))
                .path("undo")
                .path("id")
                .asLong();
        assertThat(get("audit").path("entries").path(0).path("target").asString())
                .isEqualTo("two limited");
        assertThat(keyFor("one")).isEqualTo("account");
        assertThat(keyFor("two")).isEqualTo("header:tenant");
        act("lift", Map.of("name", "one", "type", "limited"));
        assertThat(keyFor("one")).isEmpty();
        assertThat(keyFor("two")).isEqualTo("header:tenant");

        assertThat(node.post("/api/audit/" + entry + "/undo", "{}").status()).isEqualTo(200);
        assertThat(keyFor("one")).isEqualTo("account");
        assertThat(keyFor("two")).isEmpty();
        assertThat(node.post("/api/limits/lift", Map.of("name", "two", "type", "limited"))
                        .status())
                .isEqualTo(422);
        assertThat(node.post("/api/limits/apply", Map.of("name", "two")).status())
                .isEqualTo(422);
    }

    /** What the limit counts the type 'limited' by; empty if it does not. */
    private static String keyFor(String limit) throws Exception {
        return limit(limit).path("uses").path(0).path("key").asString("");
    }

    @Test
    void refusesWhatIsNoLimit() throws Exception {
        limits.set(LimitDefinition.ofRunning("kept", 2));
        assertThat(node.post("/api/limits/change", Map.of("name", "unknown", "running", 1))
                        .status())
                .isEqualTo(404);
        assertThat(node.post("/api/limits/change", Map.of("name", "kept", "running", 0))
                        .status())
                .isEqualTo(422);
        assertThat(node.post("/api/limits/change", Map.of("name", "kept", "running", "many"))
                        .status())
                .isEqualTo(422);
        assertThat(node.post("/api/limits/change", Map.of("name", "kept", "rate", "quick"))
                        .status())
                .isEqualTo(422);
        assertThat(node.post("/api/limits/change", Map.of("name", "kept", "atLimit", "burn"))
                        .status())
                .isEqualTo(422);
        assertThat(node.post("/api/limits/burn", Map.of("name", "kept")).status())
                .isEqualTo(404);
        assertThat(limits.find("kept").orElseThrow().definition()).isEqualTo(LimitDefinition.ofRunning("kept", 2));
    }

    @Test
    void releasesALaneThatStandsBehindADeadLetter() throws Exception {
        limits.set(LimitDefinition.ofFifo("orders"));
        limits.useForType("fail", Map.of("orders", "order"));
        UUID dead = jobs.publish(Job.of("fail", Map.of("order", 7)));
        await().atMost(PATIENCE).until(() -> state(dead) == JobState.DEAD);
        UUID next = jobs.publish(Job.of("fail", Map.of("order", 7)));
        assertThat(state(next)).isEqualTo(JobState.WAITING);
        assertThat(lane("orders").path("blockedBy").asString()).isEqualTo(dead.toString());
        assertThat(limit("orders").path("blocked").asInt()).isEqualTo(1);

        act("release", Map.of("name", "orders", "key", "7"));
        await().atMost(PATIENCE).until(() -> state(next) == JobState.DEAD);
        JsonNode told = get("audit").path("entries").path(0);
        assertThat(told.path("kind").asString()).isEqualTo("lane");
        assertThat(told.path("target").asString()).isEqualTo("orders 7");
        assertThat(node.post("/api/limits/release", Map.of("name", "orders", "key", "8"))
                        .status())
                .isEqualTo(422);
    }

    @Test
    void closesAndOpensALane() throws Exception {
        limits.set(LimitDefinition.ofRunning("shop", 5));
        limits.useForType("work", Map.of("shop", "shop"));
        Map<String, String> north = Map.of("name", "shop", "key", "north", "until", "2099-01-01T00:00Z");
        long entry = act("close", north).path("undo").path("id").asLong();
        assertThat(node.post("/api/audit/" + entry + "/undo", "{}").status()).isEqualTo(200);
        assertThat(get("lanes?limit=shop").path("lanes").size()).isZero();
        act("close", north);
        UUID id = jobs.publish(Job.of("work", Map.of("shop", "north")));
        assertThat(lane("shop").path("opensAt").asString()).startsWith("2099-01-01");
        assertThat(state(id)).isEqualTo(JobState.WAITING);

        act("open", Map.of("name", "shop", "key", "north"));
        await().atMost(PATIENCE).until(() -> state(id) == JobState.COMPLETED);
        assertThat(node.post("/api/limits/close", Map.of("name", "shop", "key", "north", "until", "soon"))
                        .status())
                .isEqualTo(422);
    }
}
