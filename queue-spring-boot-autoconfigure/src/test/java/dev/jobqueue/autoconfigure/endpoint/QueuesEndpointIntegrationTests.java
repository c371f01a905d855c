package dev.jobqueue.autoconfigure.endpoint;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.endpoint.WebNode.Answer;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class QueuesEndpointIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static WebNode readOnly;
    private static WebNode open;

    @BeforeAll
    static void start() {
        readOnly = WebNode.start(database, WebNode.WITHOUT_SECURITY, "queue.worker.enabled=false");
        open = WebNode.start(
                database,
                WebNode.WITHOUT_SECURITY,
                "management.endpoint.queues.access=unrestricted",
                "queue.endpoint.show-payloads=always");
    }

    @AfterAll
    static void stop() {
        open.close();
        readOnly.close();
    }

    @BeforeEach
    void clear() {
        for (String table : List.of("job", "ready", "scheduled", "lease", "dead_letter", "job_history", "queue")) {
            jdbc().sql("DELETE FROM queue." + table).update();
        }
    }

    private static JdbcClient jdbc() {
        return open.context.getBean(JdbcClient.class);
    }

    private static UUID publish(Job job) {
        return open.context.getBean(JobPublisher.class).publish(job);
    }

    /** A job that nobody handles. */
    private static Job stray() {
        return Job.of("stray", Map.of("secret", "s3cret"));
    }

    private static UUID die() {
        UUID id = publish(stray().queue("elsewhere"));
        jdbc().sql("SELECT queue.fail(c.id, c.lease, 'boom', false) FROM queue.claim(gen_random_uuid(),"
                        + " '{elsewhere}') c")
                .query()
                .listOfRows();
        return id;
    }

    @Nested
    class Reading {

        @Test
        void listsTheQueuesWithTheirFigures() throws Exception {
            publish(stray());
            JsonNode body = readOnly.get("").json();
            assertThat(body.at("/queues/0/name").asString()).isEqualTo("default");
            assertThat(body.at("/queues/0/pending").asInt()).isEqualTo(1);
            assertThat(body.at("/typesWithoutHandler/0/type").asString()).isEqualTo("stray");
            assertThat(readOnly.get("/queue/default").json().at("/pending").asInt())
                    .isEqualTo(1);
            assertThat(readOnly.get("/queue/unknown").status()).isEqualTo(404);
        }

        @Test
        void listsTheNodes() throws Exception {
            await().untilAsserted(() -> assertThat(
                            readOnly.get("/nodes").json().at("/nodes/0/types").values())
                    .extracting(JsonNode::asString)
                    .contains("work"));
        }

        @Test
        void keepsItsNamesWhateverNamingStrategyTheWebHas() throws Exception {
            publish(stray());
            try (WebNode snake = WebNode.start(
                    database,
                    WebNode.WITHOUT_SECURITY,
                    "queue.worker.enabled=false",
                    "spring.jackson.property-naming-strategy=SNAKE_CASE")) {
                assertThat(snake.get("/jobs?state=pending").json().at("/jobs/0").propertyNames())
                        .contains("maxAttempts")
                        .doesNotContain("max_attempts");
                await().untilAsserted(() -> assertThat(
                                snake.get("/nodes").json().at("/nodes/0").propertyNames())
                        .contains("startedAt")
                        .doesNotContain("started_at"));
            }
        }

        @Test
        void pagesThroughJobs() throws Exception {
            for (int i = 0; i < 5; i++) {
                publish(stray());
            }
            JsonNode first = readOnly.get("/jobs?state=pending&limit=3").json();
            assertThat(first.at("/jobs").size()).isEqualTo(3);
            JsonNode second = readOnly.get("/jobs?state=pending&limit=3&after="
                            + first.at("/next").asString())
                    .json();
            assertThat(second.at("/jobs").size()).isEqualTo(2);
            assertThat(second.at("/next").isNull()).isTrue();
            assertThat(readOnly.get("/jobs?state=pending&type=other")
                            .json()
                            .at("/jobs")
                            .size())
                    .isZero();
        }

        @Test
        void showsAJobAndItsResult() throws Exception {
            UUID id = publish(Job.of("work", Map.of("secret", "s3cret")).header("tenant", "t1"));
            await().untilAsserted(() -> assertThat(
                            open.get("/job/" + id).json().at("/state").asString())
                    .isEqualTo("COMPLETED"));
            JsonNode shown = open.get("/job/" + id).json();
            assertThat(shown.at("/payload/secret").asString()).isEqualTo("s3cret");
            assertThat(shown.at("/result/answer").asInt()).isEqualTo(42);
            assertThat(shown.at("/maxAttempts").isInt()).isTrue();
            assertThat(shown.at("/waitSeconds").isNumber()).isTrue();
            assertThat(shown.at("/runSeconds").isNumber()).isTrue();
            assertThat(shown.at("/headers/tenant").asString()).isEqualTo("t1");
        }

        @Test
        void showsWhatAJobLeftWhileItRan() throws Exception {
            UUID id = publish(
                    stray().queue("elsewhere").timeout(Duration.ofMinutes(1)).uniqueKey("k"));
            jdbc().sql("SELECT queue.save_step(c.id, c.lease, 'render', '{\"page_no\": 1}'),"
                            + " queue.log(c.id, c.lease, 'INFO', 'halfway'),"
                            + " queue.fail(c.id, c.lease, 'boom', false)"
                            + " FROM queue.claim(gen_random_uuid(), '{elsewhere}') c")
                    .query()
                    .listOfRows();
            // a worker that says nothing of itself is taken for one that handles everything
            jdbc().sql("DELETE FROM queue.worker WHERE host IS NULL").update();
            JsonNode shown = open.get("/job/" + id).json();
            assertThat(shown.at("/steps/0/step").asString()).isEqualTo("render");
            assertThat(shown.at("/steps/0/finishedAt").isString()).isTrue();
            assertThat(shown.at("/steps/0/result/page_no").asInt()).isEqualTo(1);
            assertThat(shown.at("/events/0/message").asString()).isEqualTo("halfway");
            assertThat(shown.at("/reason").asString()).contains("no retry wanted");
            assertThat(shown.at("/uniqueKey").asString()).isEqualTo("k");
            assertThat(shown.at("/timeoutSeconds").asDouble()).isEqualTo(60);
            assertThat(shown.at("/errors/0/error").asString()).isEqualTo("boom");
            assertThat(shown.propertyNames())
                    .containsExactlyInAnyOrder(
                            "id",
                            "queue",
                            "type",
                            "state",
                            "priority",
                            "attempt",
                            "maxAttempts",
                            "percent",
                            "flowId",
                            "flowStep",
                            "stage",
                            "payload",
                            "headers",
                            "result",
                            "errors",
                            "createdAt",
                            "runAt",
                            "claimedAt",
                            "finishedAt",
                            "cancelRequested",
                            "workerId",
                            "uniqueKey",
                            "reason",
                            "timeoutSeconds",
                            "waitSeconds",
                            "runSeconds",
                            "steps",
                            "events",
                            "limits",
                            "payloadShown");
            assertThat(readOnly.get("/job/" + id).json().at("/steps/0").propertyNames())
                    .containsExactlyInAnyOrder("step", "finishedAt");
        }

        @Test
        void hidesWhatJobsCarryByDefault() throws Exception {
            UUID id = publish(stray().header("tenant", "t1"));
            Answer answer = readOnly.get("/job/" + id);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).doesNotContain("s3cret", "tenant");
            assertThat(answer.json().at("/payloadShown").asBoolean()).isFalse();
        }

        @Test
        void tellsWhyAJobIsNotRunning() throws Exception {
            UUID id = publish(stray());
            await().untilAsserted(() -> assertThat(readOnly.get("/job/" + id + "/why")
                            .json()
                            .at("/reasons/0/code")
                            .asString())
                    .isEqualTo("NO_HANDLER"));
        }
    }

    @Nested
    class Acting {

        @Test
        void isRefusedUntilAccessIsUnrestricted() throws Exception {
            UUID id = publish(stray());
            assertThat(readOnly.post("/job/" + id + "/cancel", "{}").status()).isEqualTo(405);
            assertThat(readOnly.post("/dead-letters/purge", "{}").status()).isEqualTo(405);
            assertThat(readOnly.get("/job/" + id).json().at("/state").asString())
                    .isEqualTo("PENDING");
        }

        @Test
        void cancelsRetriesReplaysAndPurgesOneJob() throws Exception {
            UUID waiting = publish(stray());
            assertThat(open.post("/job/" + waiting + "/cancel", "{}")
                            .json()
                            .at("/state")
                            .asString())
                    .isEqualTo("CANCELLED");
            UUID later = publish(stray().delay(Duration.ofHours(1)));
            assertThat(open.post("/job/" + later + "/retry", "{}").status()).isEqualTo(200);
            assertThat(open.get("/job/" + later).json().at("/state").asString()).isEqualTo("PENDING");
            assertThat(open.post("/job/" + later + "/retry", "{}").status()).isEqualTo(400);
            UUID dead = die();
            assertThat(open.post("/job/" + dead + "/replay", "{}").status()).isEqualTo(200);
            assertThat(open.get("/job/" + dead).json().at("/state").asString()).isEqualTo("PENDING");
            assertThat(open.post("/job/" + dead + "/purge", "{}").status()).isEqualTo(404);
            assertThat(open.post("/job/" + dead + "/explode", "{}").status()).isEqualTo(404);
        }

        private int count(String action, String body) throws Exception {
            JsonNode answer = open.post("/dead-letters/" + action, body.replace('\'', '"'))
                    .json();
            return answer.at("/count").asInt(-1);
        }

        @Test
        void replaysAndPurgesByFilterAfterADryRun() throws Exception {
            die();
            die();
            assertThat(count("replay", "{'queue': 'elsewhere', 'errorLike': 'bo%', 'dryRun': true}"))
                    .isEqualTo(2);
            assertThat(count("replay", "{'type': 'stray', 'errorLike': 'other%'}"))
                    .isZero();
            assertThat(open.get("/jobs?state=dead").json().at("/jobs").size()).isEqualTo(2);
            assertThat(count("replay", "{'queue': 'elsewhere', 'max': 1, 'dryRun': false}"))
                    .isEqualTo(1);
            assertThat(count("purge", "{'olderThan': '1h', 'dryRun': false}")).isZero();
            assertThat(count("purge", "{'all': true, 'dryRun': false}")).isEqualTo(1);
            assertThat(open.get("/jobs?state=dead").json().at("/jobs").size()).isZero();
        }

        @Test
        void onlyCountsUnlessToldOtherwise() throws Exception {
            die();
            for (String body : List.of("", "{}", "{'all': true}", "{'dryrun': false}", "{'queue': 'elsewhere'}")) {
                assertThat(count("purge", body)).as(body).isEqualTo(1);
                assertThat(count("replay", body)).as(body).isEqualTo(1);
            }
            assertThat(open.get("/jobs?state=dead").json().at("/jobs").size()).isEqualTo(1);
        }

        @Test
        void purgesOneDeadLetter() throws Exception {
            UUID dead = die();
            assertThat(open.post("/job/" + dead + "/purge", "{}")
                            .json()
                            .at("/state")
                            .asString())
                    .isEqualTo("GONE");
            assertThat(open.get("/job/" + dead).status()).isEqualTo(404);
        }

        @Test
        void runsPausesAndResumesASchedule() throws Exception {
            open.context
                    .getBean(JobSchedules.class)
                    .set(ScheduleDefinition.of("nightly", "work").cron("0 3 * * *"));
            assertThat(readOnly.get("/schedules").json().at("/schedules/0/name").asString())
                    .isEqualTo("nightly");
            assertThat(readOnly.post("/schedule/nightly/run", "{}").status()).isEqualTo(405);
            assertThat(open.post("/schedule/nightly/run", "{}")
                            .json()
                            .at("/jobId")
                            .isString())
                    .isTrue();
            assertThat(open.post("/schedule/nightly/pause", "{}").status()).isEqualTo(200);
            assertThat(open.get("/schedule/nightly").json().at("/paused").asBoolean())
                    .isTrue();
            assertThat(open.post("/schedule/nightly/resume", "{}").status()).isEqualTo(200);
            assertThat(open.post("/schedule/unknown/run", "{}").status()).isEqualTo(404);
        }

        @Test
        void needsNoBodyWhereThereIsNothingToSay() throws Exception {
            assertThat(open.postNothing("/queue/default/pause").status()).isEqualTo(200);
            assertThat(open.postNothing("/queue/default/resume").status()).isEqualTo(200);
        }

        @Test
        void pausesAndResumesAQueue() throws Exception {
            assertThat(open.post("/queue/default/pause", "{}").status()).isEqualTo(200);
            assertThat(open.get("/queue/default").json().at("/pausedAt").isNull())
                    .isFalse();
            UUID id = publish(Job.of("work", Map.of()));
            // a node that takes it as it is published gives it back a moment later
            await().untilAsserted(() -> assertThat(open.get("/job/" + id + "/why")
                            .json()
                            .at("/reasons/0/code")
                            .asString())
                    .isEqualTo("PAUSED"));
            assertThat(open.post("/queue/default/resume", "{}").status()).isEqualTo(200);
            await().untilAsserted(() -> assertThat(
                            open.get("/job/" + id).json().at("/state").asString())
                    .isEqualTo("COMPLETED"));
        }
    }
}
