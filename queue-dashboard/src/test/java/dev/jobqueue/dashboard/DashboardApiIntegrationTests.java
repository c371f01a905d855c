package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class DashboardApiIntegrationTests {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private static final TestDatabase DATABASE = TestDatabase.create();
    private static final JdbcClient JDBC = JdbcClient.create(DATABASE.dataSource());

    private static DashboardNode node;
    private static JobPublisher jobs;
    private static JobOperations operations;

    @BeforeAll
    static void start() {
        node = DashboardNode.local(
                DATABASE,
                "queue.dashboard.publish=true",
                "queue.metrics.count-limit=5000",
                "queue.worker.queues=default,charted,grouped,turn");
        jobs = node.bean(JobPublisher.class);
        operations = node.bean(JobOperations.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static UUID ended(Job job, JobState state) {
        UUID id = jobs.publish(job);
        await().atMost(LIMIT)
                .until(() -> operations.find(id).map(JobDetails::state).orElseThrow() == state);
        return id;
    }

    private static UUID later(String type) {
        return jobs.publish(Job.of(type, Map.of()).delay(Duration.ofHours(1)));
    }

    private static JsonNode get(String path) throws Exception {
        Answer answer = node.get("/api/" + path);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode act(String path, Object body) throws Exception {
        Answer answer = node.post("/api/" + path, body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode lastEntry() throws Exception {
        return get("audit").path("entries").path(0);
    }

    @Nested
    class WhatItShows {

        @Test
        void beginsWithWhoAsksAndWhatTheyMayDo() throws Exception {
            JsonNode me = get("me");
            assertThat(me.path("user").asString()).isEqualTo("local");
            assertThat(me.path("canAct").asBoolean()).isTrue();
            assertThat(me.path("canPublish").asBoolean()).isTrue();
            assertThat(me.path("csrf").isNull()).isTrue();
            assertThat(me.path("pollMs").asInt()).isEqualTo(100);
        }

        @Test
        void tellsHowEverythingIsDoing() throws Exception {
            jobs.publish(Job.of("nobody.handles.this", Map.of()).queue("strange"));
            ended(Job.of("work", Map.of()), JobState.COMPLETED);
            await().atMost(LIMIT).untilAsserted(() -> {
                JsonNode overview = get("overview");
                assertThat(overview.path("nodes").path("live").asInt()).isEqualTo(1);
                assertThat(overview.path("unhandled").findValuesAsString("type"))
                        .contains("nobody.handles.this");
                assertThat(overview.path("problems").findValuesAsString("message"))
                        .contains("No live node handles type 'nobody.handles.this' in queue 'strange'.");
                JsonNode queue = overview.path("queues")
                        .valueStream()
                        .filter(each -> each.path("queue").asString().equals("strange"))
                        .findFirst()
                        .orElseThrow();
                assertThat(queue.path("pending").asInt()).isEqualTo(1);
                assertThat(queue.path("countLimit").asInt()).isEqualTo(5_000);
                assertThat(queue.path("spark").size()).isEqualTo(30);
                assertThat(overview.path("oldestMs").asLong()).isPositive();
            });
            assertThat(get("queues").findValuesAsString("queue")).contains("strange");
        }

        @Test
        void drawsWhatEnded() throws Exception {
            ended(Job.of("work", Map.of()).queue("charted"), JobState.COMPLETED);
            await().atMost(LIMIT).untilAsserted(() -> {
                for (String window : new String[] {"5m", "1h", "1d"}) {
                    JsonNode chart = get("charts?queue=charted&window=" + window);
                    assertThat(chart.path("points")
                                    .valueStream()
                                    .mapToInt(each -> each.path("completed").asInt())
                                    .sum())
                            .as(window)
                            .isEqualTo(1);
                }
            });
            assertThat(get("charts?window=5m").path("stepMs").asInt()).isEqualTo(10_000);
            assertThat(node.get("/api/charts?window=2y").status()).isEqualTo(422);
        }

        @Test
        void listsJobsByQueryPageByPageWithoutTheirPayloads() throws Exception {
            IntStream.range(0, 5)
                    .forEach(i -> jobs.publish(
                            Job.of("listed", Map.of("private", "pr1vate")).delay(Duration.ofHours(1))));
            JsonNode first = get("jobs?q=state:scheduled%20type:listed&limit=3");
            JsonNode second = get("jobs?q=state:scheduled%20type:listed&limit=3&after="
                    + first.path("next").asString());

            assertThat(first.path("jobs").size()).isEqualTo(3);
            assertThat(first.path("count").path("jobs").asInt()).isEqualTo(5);
            assertThat(first.path("filter").path("type").asString()).isEqualTo("listed");
            assertThat(second.path("jobs").size()).isEqualTo(2);
            assertThat(first.toString()).doesNotContain("pr1vate", "payload");
        }

        @Test
        void goesThroughTheStatesOneAfterTheOther() throws Exception {
            later("turn");
            ended(Job.of("fail", Map.of("order", 1)).queue("turn"), JobState.DEAD);
            jobs.publish(Job.of("turn", Map.of()).queue("turn"));
            jobs.publish(Job.of("turn", Map.of()).queue("turn").delay(Duration.ofHours(1)));
            String path = "jobs?q=queue:turn&limit=1";
            JsonNode page = get(path);
            StringBuilder states = new StringBuilder();
            while (true) {
                page.path("jobs")
                        .forEach(each ->
                                states.append(each.path("state").asString()).append(' '));
                if (page.path("next").isNull()) {
                    break;
                }
                page = get(path + "&after=" + page.path("next").asString());
            }
            assertThat(states.toString()).isEqualTo("PENDING SCHEDULED DEAD ");
        }

        @Test
        void findsAJobByItsId() throws Exception {
            UUID id = later("by.id");
            assertThat(get("jobs?q=" + id).path("jobs").path(0).path("id").asString())
                    .isEqualTo(id.toString());
            assertThat(get("jobs?q=" + UUID.randomUUID()).path("jobs").size()).isZero();
        }

        @Test
        void refusesQueriesThatMeanNothing() throws Exception {
            Answer answer = node.get("/api/jobs?q=colour:red");
            assertThat(answer.status()).isEqualTo(422);
            assertThat(answer.header("Content-Type")).startsWith("application/problem+json");
            assertThat(answer.json().path("detail").asString()).contains("'colour' means nothing here");
            assertThat(node.get("/api/jobs?q=state:dead&after=nonsense").status())
                    .isEqualTo(422);
            assertThat(node.get("/api/jobs?limit=0").status()).isEqualTo(422);
        }

        @Test
        void showsAllOfOneJobButItsSecrets() throws Exception {
            UUID id = ended(
                    Job.of("work", Map.of("to", "ann", "password", "s3cret", "html", "<script>alert(1)</script>"))
                            .header("Authorization", "Bearer s3cret")
                            .header("tenant", "t1"),
                    JobState.COMPLETED);
            await().atMost(LIMIT).until(() -> get("jobs/" + id).path("events").size() == 1);
            JsonNode job = get("jobs/" + id);

            assertThat(job.toString()).doesNotContain("s3cret", "t0ken");
            assertThat(job.path("payload").path("to").asString()).isEqualTo("ann");
            assertThat(job.path("payload").path("html").asString()).isEqualTo("<script>alert(1)</script>");
            assertThat(job.path("headers").path("tenant").asString()).isEqualTo("t1");
            assertThat(job.path("result").path("answer").asInt()).isEqualTo(42);
            assertThat(job.path("state").asString()).isEqualTo("COMPLETED");
            assertThat(job.path("events").path(0).path("message").asString()).isEqualTo("done");
            assertThat(job.path("why").size()).isPositive();
            assertThat(node.get("/api/jobs/" + UUID.randomUUID()).status()).isEqualTo(404);
            assertThat(node.get("/api/jobs/nonsense").status()).isEqualTo(404);
        }

        @Test
        void cutsLongPayloads() throws Exception {
            UUID id = jobs.publish(
                    Job.of("long", Map.of("text", "x".repeat(900_000))).delay(Duration.ofHours(1)));
            JsonNode payload = get("jobs/" + id).path("payload");
            assertThat(payload.path("$truncated").asInt()).isGreaterThan(900_000);
            assertThat(payload.path("text").asString()).hasSize(65_536);
        }

        @Test
        void groupsDeadLettersByTheirError() throws Exception {
            ended(Job.of("fail", Map.of("order", 1)).queue("grouped"), JobState.DEAD);
            UUID last = ended(Job.of("fail", Map.of("order", 2)).queue("grouped"), JobState.DEAD);
            await().atMost(LIMIT).untilAsserted(() -> {
                JsonNode group = get("dead")
                        .valueStream()
                        .filter(each -> each.path("queue").asString().equals("grouped"))
                        .findFirst()
                        .orElseThrow();
                assertThat(group.path("jobs").asInt()).isEqualTo(2);
                assertThat(group.path("exampleId").asString()).isEqualTo(last.toString());
                assertThat(group.path("error").asString()).contains("no order 2");
                String q = group.path("q").asString().replace(" ", "%20");
                assertThat(get("jobs?q=" + q).path("jobs").size()).isEqualTo(2);
            });
        }

        @Test
        void completesWhatIsTyped() throws Exception {
            assertThat(get("complete?q=sta&at=3").toString()).contains("\"insert\":\"state:\"");
            assertThat(get("complete?q=state:de").toString()).contains("\"insert\":\"state:dead \"");
            assertThat(get("complete?q=state:dead%20type:wor").toString()).contains("\"insert\":\"type:work \"");
            assertThat(get("complete?q=queue:def").toString()).contains("default");
        }

        @Test
        void listsNodesAndSchedules() throws Exception {
            assertThat(get("nodes").path(0).path("live").asBoolean()).isTrue();
            assertThat(get("nodes").path(0).path("types").toString()).contains("work");
            assertThat(get("schedules").isArray()).isTrue();
        }
    }

    @Nested
    class WhatPeopleDo {

        @Test
        void isRecordedWithTheAction() throws Exception {
            UUID id = later("acted");
            assertThat(act("jobs/" + id + "/cancel", "{}").path("state").asString())
                    .isEqualTo("CANCELLED");

            JsonNode entry = lastEntry();
            assertThat(entry.path("user").asString()).isEqualTo("local");
            assertThat(entry.path("kind").asString()).isEqualTo("job");
            assertThat(entry.path("action").asString()).isEqualTo("cancel");
            assertThat(entry.path("target").asString()).isEqualTo(id.toString());
            assertThat(entry.path("canUndo").asBoolean()).isFalse();
            assertThat(entry.path("jobs").asInt()).isOne();
            act("jobs/" + id + "/cancel", "{}");
            assertThat(lastEntry().path("jobs").asInt()).isZero();
        }

        @Test
        void rollsBackIfItCannotBeRecorded() throws Exception {
            UUID id = later("kept");
            JDBC.sql("ALTER TABLE queue.audit ADD CONSTRAINT broken CHECK (action <> 'job.cancel') NOT VALID")
                    .update();
            try {
                assertThat(node.post("/api/jobs/" + id + "/cancel", "{}").status())
                        .isEqualTo(500);
            } finally {
                JDBC.sql("ALTER TABLE queue.audit DROP CONSTRAINT broken").update();
            }
            assertThat(operations.find(id).orElseThrow().state()).isEqualTo(JobState.SCHEDULED);
        }

        @Test
        void canBeUndoneWhereThatIsPossible() throws Exception {
            UUID id = later("undone");
            Instant before = operations.find(id).orElseThrow().runAt();

            JsonNode priority = act("jobs/" + id + "/reprioritise", Map.of("priority", 7));
            assertThat(operations.find(id).orElseThrow().priority()).isEqualTo(7);
            act("audit/" + priority.path("undo").path("id").asLong() + "/undo", "{}");
            assertThat(operations.find(id).orElseThrow().priority()).isZero();

            JsonNode moved = act("jobs/" + id + "/reschedule", Map.of("runAt", "2099-01-01T00:00:00Z"));
            act("audit/" + moved.path("undo").path("id").asLong() + "/undo", "{}");
            assertThat(operations.find(id).orElseThrow().runAt()).isEqualTo(before);
            assertThat(node.post("/api/audit/" + moved.path("undo").path("id").asLong() + "/undo", "{}")
                            .status())
                    .isEqualTo(422);

            act("jobs/" + id + "/cancel", "{}");
            long cancelled = lastEntry().path("id").asLong();
            assertThat(node.post("/api/audit/" + cancelled + "/undo", "{}").status())
                    .isEqualTo(422);
        }

        @Test
        void pausesAndResumesQueues() throws Exception {
            String name = "paused/by \"name\"";
            jobs.publish(Job.of("x", Map.of()).queue(name));
            JsonNode paused = act("queues/pause", Map.of("name", name));
            assertThat(pausedAt(name)).isNotNull();
            act("audit/" + paused.path("undo").path("id").asLong() + "/undo", "{}");
            assertThat(pausedAt(name)).isNull();
            assertThat(act("queues/resume", Map.of("name", name)).path("undo").isNull())
                    .isTrue();
            assertThat(node.post("/api/queues/pause", Map.of("name", "unknown")).status())
                    .isEqualTo(404);
            assertThat(node.post("/api/queues/burn", Map.of("name", name)).status())
                    .isEqualTo(404);
        }

        private static Instant pausedAt(String queue) {
            return operations.queues().stream()
                    .filter(each -> each.queue().equals(queue))
                    .findFirst()
                    .orElseThrow()
                    .pausedAt();
        }

        @Test
        void retriesReplaysAndPurges() throws Exception {
            UUID waiting = later("nobody");
            assertThat(act("jobs/" + waiting + "/retry", "{}").path("state").asString())
                    .isEqualTo("PENDING");
            UUID dead = ended(Job.of("fail", Map.of("order", 3)), JobState.DEAD);
            act("jobs/" + dead + "/replay", "{}");
            await().atMost(LIMIT)
                    .until(() -> operations.find(dead).orElseThrow().state() == JobState.DEAD);
            act("jobs/" + dead + "/purge", "{}");
            assertThat(operations.find(dead)).isEmpty();
            assertThat(node.post("/api/jobs/" + dead + "/purge", "{}").status()).isEqualTo(404);
            assertThat(node.post("/api/jobs/" + waiting + "/reprioritise", "{}").status())
                    .isEqualTo(422);
        }

        @Test
        void takesAllThatMatchInTheBackground() throws Exception {
            JDBC.sql("SELECT queue.publish('many', '{}', run_at => now() + interval '1 hour') FROM"
                            + " generate_series(1, 2500)")
                    .query()
                    .listOfRows();
            String q = "state:scheduled type:many";
            JsonNode counted = act("jobs/actions", Map.of("q", q, "action", "cancel", "dryRun", true));
            assertThat(counted.path("jobs").asInt()).isEqualTo(2500);

            String task = act("jobs/actions", Map.of("q", q, "action", "cancel"))
                    .path("task")
                    .asString();
            await().atMost(LIMIT)
                    .until(() -> get("tasks/" + task).path("state").asString().equals("DONE"));

            assertThat(get("tasks/" + task).path("done").asInt()).isEqualTo(2500);
            assertThat(lastEntry().path("jobs").asInt()).isEqualTo(2500);
            assertThat(lastEntry().path("filter").asString()).isEqualTo(q);
            assertThat(get("jobs?q=state:scheduled%20type:many").path("jobs").size())
                    .isZero();
            assertThat(node.post("/api/jobs/actions", Map.of("q", "type:many", "action", "cancel"))
                            .status())
                    .isEqualTo(422);
            assertThat(node.post("/api/jobs/actions", Map.of("q", q, "action", "replay"))
                            .status())
                    .isEqualTo(422);
        }

        @Test
        void publishesByHand() throws Exception {
            String id = act(
                            "publish",
                            "{\"type\": \"hand.made\", \"queue\": \"hand\", \"payload\": {\"n\": 1.50,"
                                    + " \"long\": 12345678901234567890.12345678901234567890},"
                                    + " \"priority\": 3, \"delayMs\": 3600000, \"uniqueKey\": \"k\"}")
                    .path("id")
                    .asString();
            JobDetails job = operations.find(UUID.fromString(id)).orElseThrow();
            assertThat(job.queue() + " " + job.priority() + " " + job.uniqueKey())
                    .isEqualTo("hand 3 k");
            assertThat(job.payload()).contains("1.50", "12345678901234567890.12345678901234567890");
            assertThat(job.state()).isEqualTo(JobState.SCHEDULED);
            assertThat(lastEntry().path("action").asString()).isEqualTo("publish");
            assertThat(node.post("/api/publish", "{}").status()).isEqualTo(422);
            assertThat(node.post("/api/publish", "[").status()).isEqualTo(422);
        }
    }
}
