package dev.jobqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.endpoint.WebNode.Answer;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Whatever is sent: the answer names what is wrong, and is never 500. */
class EndpointErrorsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final String UNKNOWN = "00000000-0000-0000-0000-000000000000";
    private static final String X300 = "x".repeat(300);
    private static WebNode node;
    private static UUID scheduled;
    private static UUID pending;

    @BeforeAll
    static void start() {
        node = WebNode.start(
                database,
                WebNode.WITHOUT_SECURITY,
                "queue.worker.enabled=false",
                "queue.endpoint.timeout=30s",
                "management.endpoint.queues.access=unrestricted");
        JobPublisher publisher = node.context.getBean(JobPublisher.class);
        pending = publisher.publish(Job.of("stray", Map.of()));
        scheduled = publisher.publish(Job.of("stray", Map.of()).delay(Duration.ofHours(1)));
        publisher.publish(Job.of("dying", Map.of()).queue("elsewhere"));
        JdbcClient.create(database.dataSource())
                .sql("SELECT queue.fail(c.id, c.lease, 'boom', false) FROM queue.claim(gen_random_uuid(),"
                        + " '{elsewhere}') c")
                .query()
                .listOfRows();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    private static void check(Answer answer, int status, String detail) {
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.contentType()).startsWith("application/problem+json");
        assertThat(answer.json().at("/status").asInt()).isEqualTo(status);
        assertThat(answer.json().at("/detail").asString()).contains(detail);
    }

    static Stream<Arguments> questions() {
        return Stream.of(
                arguments(
                        "/nothing",
                        404,
                        "There is no 'nothing' here, but there are: jobs, flows, nodes, limits, schedules"),
                arguments(
                        "/nothing/x",
                        404,
                        "There is no 'nothing' here, but there are: queue, job, flow, limit, schedule"),
                arguments(
                        "/job/" + UNKNOWN + "/what",
                        404,
                        "There is no 'job/what' here, but there are: job/ID/why, limit/NAME/lanes"),
                arguments("/queue/default/why", 404, "There is no 'queue/why' here"),
                arguments("/queue/tpyo", 404, "There is no queue 'tpyo', but there are: default, elsewhere"),
                arguments("/schedule/none", 404, "There is no schedule 'none'"),
                arguments("/job/x", 400, "'x' is no id of a job: give a UUID"),
                arguments("/job/%27%20OR%201=1--", 400, "'' OR 1=1--' is no id of a job"),
                arguments("/job/" + UNKNOWN, 404, "No job has the id '" + UNKNOWN + "'"),
                arguments("/job/" + UNKNOWN + "/why", 404, "No job has the id '" + UNKNOWN + "'"),
                arguments("/jobs", 400, "The parameter 'state' is missing: give one of scheduled, pending"),
                arguments("/jobs?state=odd", 400, "state is 'odd': must be one of"),
                arguments("/jobs?state=dead&state=pending", 400, "state is 'dead,pending'"),
                arguments("/jobs?state=dead&limit=-1", 400, "limit is '-1': must be a number from 1 to 1000"),
                arguments("/jobs?state=dead&limit=0", 400, "limit is '0'"),
                arguments("/jobs?state=dead&limit=1001", 400, "limit is '1001'"),
                arguments("/jobs?state=dead&limit=99999999999", 400, "limit is '99999999999'"),
                arguments("/jobs?state=dead&limit=abc", 400, "limit is 'abc'"),
                arguments("/jobs?state=dead&after=x", 400, "after is 'x': must be what 'next' of the page before said"),
                arguments("/jobs?state=dead&after=bm9uc2Vuc2U", 400, "after is 'nonsense': must be a cursor"),
                arguments("/jobs?state=dead&queue=a%00b", 400, "queue has a NUL character"),
                arguments("/jobs?state=dead&type=%00", 400, "type has a NUL character"));
    }

    @ParameterizedTest
    @MethodSource("questions")
    void saysWhatIsWrongWithAQuestion(String path, int status, String detail) throws Exception {
        check(node.get(path), status, detail);
    }

    static Stream<Arguments> demands() {
        return Stream.of(
                arguments("/job/x/cancel", "{}", 400, "'x' is no id of a job"),
                arguments("/job/" + UNKNOWN + "/cancel", "{}", 404, UNKNOWN),
                arguments("/job/" + UNKNOWN + "/retry", "{}", 404, UNKNOWN),
                arguments("/job/" + UNKNOWN + "/replay", "{}", 404, "no dead letter has it"),
                arguments("/job/" + UNKNOWN + "/purge", "{}", 404, "no dead letter has it"),
                arguments(
                        "/job/" + UNKNOWN + "/explode",
                        "{}",
                        404,
                        "'explode' cannot be done with a job, but there are: cancel"),
                arguments(
                        "/queue/tpyo/pause", "{}", 404, "There is no queue 'tpyo', but there are: default, elsewhere"),
                arguments("/queue/" + X300 + "/pause", "{}", 404, "There is no queue 'xxx"),
                arguments("/queue/%20/resume", "{}", 404, "There is no queue ' '"),
                arguments(
                        "/queue/default/stop",
                        "{}",
                        404,
                        "'stop' cannot be done with a queue, but there are: pause, resume"),
                arguments("/schedule/none/run", "{}", 404, "none"),
                arguments("/schedule/none/fly", "{}", 404, "'fly' cannot be done with a schedule"),
                arguments("/nothing/x/run", "{}", 404, "There is no 'nothing' here"),
                arguments("/nothing/run", "{}", 404, "There is no 'nothing' here, but there are: dead-letters"),
                arguments("/dead-letters/explode", "{}", 404, "'explode' cannot be done with dead letters"),
                arguments(
                        "/dead-letters/replay", "{'dryRun':'maybe'}", 400, "dryRun is 'maybe': must be true or false"),
                arguments("/dead-letters/replay", "{'max':-1}", 400, "max is '-1': must be a number from 1"),
                arguments("/dead-letters/replay", "{'max':'abc'}", 400, "max is 'abc'"),
                arguments("/dead-letters/replay", "{'max':1.5}", 400, "max is '1.5'"),
                arguments("/dead-letters/replay", "{'olderThan':'5m'}", 400, "olderThan is '5m': it is for purge only"),
                arguments("/dead-letters/purge", "{'max':5}", 400, "max is '5': it is for replay only"),
                arguments(
                        "/dead-letters/purge", "{'olderThan':'soon'}", 400, "olderThan is 'soon': must be a duration"),
                arguments("/dead-letters/purge", "{'olderThan':'-5m'}", 400, "olderThan is '-5m'"),
                arguments("/dead-letters/purge", "{'olderThan':'999999999d'}", 400, "olderThan is '999999999d'"),
                arguments("/dead-letters/purge", "{'olderThan':'99999999999999d'}", 400, "olderThan is '9999999"),
                arguments("/dead-letters/purge", "{'queue':'a\\u0000b'}", 400, "queue has a NUL character"),
                arguments("/dead-letters/replay", "{'errorLike':'x\\\\'}", 400, "error_like is "),
                arguments("/dead-letters/replay", "{'errorLike':'x\\\\','dryRun':false}", 400, "error_like is "),
                arguments("/dead-letters/purge", "{'errorLike':'\\\\','dryRun':false}", 400, "error_like is "),
                arguments("/dead-letters/purge", "{'dryRun':false}", 400, "No filter is given: name queue, type"),
                arguments("/dead-letters/purge", "{'quue':'elsewhere','dryRun':false}", 400, "No filter is given"),
                arguments("/dead-letters/purge", "{'queue':'','dryRun':false}", 400, "No filter is given"),
                arguments(
                        "/dead-letters/purge", "{'queue':'a','all':true}", 400, "all is 'true' and there is a filter"));
    }

    @ParameterizedTest
    @MethodSource("demands")
    void saysWhatIsWrongWithADemandAndDoesNothing(String path, String body, int status, String detail)
            throws Exception {
        check(node.post(path, body.replace('\'', '"')), status, detail);
        assertThat(node.get("/jobs?state=dead").json().at("/jobs").size()).isEqualTo(1);
        assertThat(node.get("/queue/tpyo").status()).isEqualTo(404);
    }

    @Test
    void saysWhichStateForbidsAnAction() throws Exception {
        check(node.post("/job/" + pending + "/retry", "{}"), 400, "must be of a job that is SCHEDULED");
        check(node.post("/job/" + pending + "/replay", "{}"), 404, "no dead letter has it");
        check(node.post("/job/" + scheduled + "/purge", "{}"), 404, "no dead letter has it");
    }

    @Test
    void takesWhatLooksLikeSqlAsText() throws Exception {
        assertThat(node.get("/jobs?state=pending&queue=%27%3B%20DROP%20TABLE%20queue.job%3B--")
                        .json()
                        .at("/jobs")
                        .size())
                .isZero();
        assertThat(node.get("/jobs?state=pending").json().at("/jobs").size()).isEqualTo(1);
    }

    @Test
    void leavesBodiesItCannotReadToBoot() throws Exception {
        for (String body : new String[] {"{", "[]", "\"x\"", "{\"queue\": {\"a\": 1}}"}) {
            assertThat(node.post("/dead-letters/purge", body).status()).isEqualTo(400);
        }
    }

    @Test
    void isUnavailableWhileTheDatabaseIsTooSlow() throws Exception {
        try (WebNode impatient = WebNode.start(
                        database, WebNode.WITHOUT_SECURITY, "queue.worker.enabled=false", "queue.endpoint.timeout=1s");
                Connection blocker = database.connect();
                Statement statement = blocker.createStatement()) {
            blocker.setAutoCommit(false);
            statement.execute("LOCK TABLE queue.job IN ACCESS EXCLUSIVE MODE");
            check(impatient.get(""), 503, "The database did not answer");
            check(impatient.get("/jobs?state=pending"), 503, "The database did not answer");
            blocker.rollback();
        }
    }
}
