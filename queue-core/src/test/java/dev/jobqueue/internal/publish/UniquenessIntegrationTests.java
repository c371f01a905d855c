package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobqueue.JobExistsException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of a job whose unique key is taken, by the words of the publisher. */
class UniquenessIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @AfterEach
    void audit() throws SQLException {
        queue.audit();
    }

    /** Publishes a job of the key k; further keys of its JSON in single quotes. */
    private static Answer publish(String payload, String further) {
        return publishAll("{'type': 'mail', 'unique_key': 'k', 'payload': %s%s}"
                        .formatted(payload, further.isEmpty() ? "" : ", " + further))
                .get(0);
    }

    private static List<Answer> publishAll(String... jobs) {
        String json = "[" + String.join(", ", jobs).replace('\'', '"') + "]";
        return queue
                .list(
                        String.class,
                        "SELECT concat_ws(' ', id, outcome) FROM queue.publish_with_outcome(?::jsonb)",
                        json)
                .stream()
                .map(answer -> answer.split(" "))
                .map(answer -> new Answer(UUID.fromString(answer[0]), answer[1]))
                .toList();
    }

    private static String payload(UUID id) {
        return String.valueOf(queue.job(id).get("payload"));
    }

    private static List<UUID> live() {
        return queue.list(UUID.class, "SELECT id FROM queue.live_job ORDER BY id");
    }

    private static void complete(ClaimedJob job) {
        queue.settlements.complete(job.lease(), null);
    }

    private static void fail(ClaimedJob job) {
        queue.settlements.failAll(List.of(new SettleCalls.Failure(job.lease(), "oops", true)));
    }

    @Nested
    class Keep {

        @ParameterizedTest
        @ValueSource(strings = {"", "'on_conflict': 'KEEP'"})
        void leavesTheOtherJobAsItIs(String further) {
            Answer first = publish("1", further);

            assertThat(first.outcome).isEqualTo("NEW");
            assertThat(publish("2", further)).isEqualTo(new Answer(first.id, "EXISTING"));
            assertThat(payload(first.id)).isEqualTo("1");
        }

        @Test
        void tellsOfIdsToo() {
            String job = "{'type': 'mail', 'payload': 1, 'id': '01890000-0000-7000-8000-000000000001'}";

            assertThat(publishAll(job, job, "{'type': 'mail', 'payload': 1}"))
                    .extracting(Answer::outcome)
                    .containsExactly("NEW", "EXISTING", "NEW");
            complete(queue.claim());
            assertThat(publishAll(job)).extracting(Answer::outcome).containsExactly("EXISTING");
        }
    }

    @Nested
    class Replace {

        private static final String REPLACE = "'on_conflict': 'REPLACE'";

        @Test
        void publishesWhereTheKeyIsFree() {
            assertThat(publish("1", REPLACE).outcome).isEqualTo("NEW");
        }

        @ParameterizedTest
        @ValueSource(strings = {"'delay': '1 hour'", "'priority': 3"})
        void changesAJobThatWaits(String before) {
            Answer first = publish("1", before);

            assertThat(publish(
                            "[2]",
                            REPLACE + ", 'queue': 'slow', 'priority': 7, 'timeout': '5 s', 'max_attempts': 9,"
                                    + " 'headers': {'h': 'x'}"))
                    .isEqualTo(new Answer(first.id, "REPLACED"));

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT (payload::jsonb, queue, priority, timeout, max_attempts, headers, state, unique_key)"
                                    + " = (jsonb '[2]', 'slow', 7, interval '5 s', 9, jsonb '{\"h\": \"x\"}', 'PENDING', 'k')"
                                    + " FROM queue.live_job WHERE id = ?",
                            first.id))
                    .isTrue();
            assertThat(queue.claims.claim(UUID.randomUUID(), Map.of("slow", 5), null))
                    .extracting(job -> job.lease().id(), ClaimedJob::payload)
                    .containsExactly(tuple(first.id, "[2]"));
        }

        @Test
        void takesBackWhatTheNewJobLeavesOut() {
            Answer first = publish(
                    "1",
                    "'queue': 'slow', 'priority': 7, 'timeout': '5 s', 'max_attempts': 9," + " 'headers': {'h': 'x'}");

            publish("2", REPLACE);

            assertThat(queue.row(
                            "SELECT queue, priority, timeout, max_attempts, headers FROM queue.live_job WHERE id = ?",
                            first.id))
                    .containsEntry("queue", "default")
                    .containsEntry("priority", 0)
                    .containsEntry("timeout", null)
                    .containsEntry("max_attempts", null)
                    .containsEntry("headers", null);
        }

        @Test
        void putsOffAJobThatIsDue() {
            Answer first = publish("1", "");

            publish("2", REPLACE + ", 'delay': '1 hour'");

            assertThat(queue.stateOf(first.id)).isEqualTo(JobState.SCHEDULED);
            assertThat(queue.claim(UUID.randomUUID(), 5)).isEmpty();
        }

        @Test
        void publishesBesideAJobThatRuns() {
            Answer first = publish("1", "");
            ClaimedJob running = queue.claim();

            Answer second = publish("2", REPLACE);
            assertThat(second.outcome).isEqualTo("NEW");
            assertThat(publish("3", REPLACE)).isEqualTo(new Answer(second.id, "REPLACED"));
            assertThat(queue.list(String.class, "SELECT reason FROM queue.why(?)", first.id))
                    .contains("SUPERSEDED");

            complete(running);
            assertThat(queue.stateOf(first.id)).isEqualTo(JobState.COMPLETED);
            assertThat(queue.claim().payload()).isEqualTo("3");
        }

        @Test
        void doesNotTryTheReplacedRunAgain() {
            ClaimedJob failing = superseded("1");
            fail(failing);
            assertThat(queue.history(failing.lease().id()))
                    .containsEntry("state", "CANCELLED")
                    .extractingByKey("errors")
                    .asString()
                    .contains("oops");
        }

        @Test
        void buriesTheReplacedRunWhenItWasTheLastAttempt() {
            publish("1", "'max_attempts': 1");
            ClaimedJob failing = queue.claim();
            publish("2", REPLACE);

            fail(failing);

            assertThat(queue.deadLetter(failing.lease().id())).containsEntry("unique_key", null);
        }

        @Test
        void doesNotPutTheReplacedRunBack() {
            ClaimedJob snoozed = superseded("1");
            queue.settlements.snooze(snoozed.lease(), Duration.ofMinutes(1));
            ClaimedJob released = superseded("2");
            queue.settlements.release(List.of(released.lease()));
            ClaimedJob lost = superseded("3");
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 10);

            assertThat(List.of(snoozed, released, lost))
                    .extracting(job -> queue.stateOf(job.lease().id()))
                    .containsOnly(JobState.CANCELLED);
        }

        /** A job that runs and has given up its key; the one that took it is cancelled. */
        private ClaimedJob superseded(String payload) {
            publish(payload, "");
            ClaimedJob running = queue.claim();
            Answer second = publish("0", REPLACE);
            assertThat(second.outcome).isEqualTo("NEW");
            queue.operations.cancel(second.id);
            return running;
        }

        @Test
        void startsAJobAnewThatWasTried() {
            Answer first = publish("1", "");
            ClaimedJob running = queue.claim();
            queue.reports.saveStep(running.lease(), "charge", "1");
            queue.reports.log(running.lease(), "INFO", "charged");
            queue.reports.progress(running.lease(), 50, "half way");
            fail(running);

            assertThat(publish("2", REPLACE)).isEqualTo(new Answer(first.id, "REPLACED"));

            assertThat(queue.row(
                            "SELECT attempt, percent, stage, steps, events, state, jsonb_array_length(errors) AS errors"
                                    + " FROM queue.live_job WHERE id = ?",
                            first.id))
                    .containsEntry("attempt", 0)
                    .containsEntry("percent", null)
                    .containsEntry("stage", null)
                    .containsEntry("steps", null)
                    .containsEntry("events", null)
                    .containsEntry("state", "PENDING")
                    .containsEntry("errors", 1);
            assertThat(queue.list(UUID.class, "SELECT job_id FROM queue.job_step"))
                    .isEmpty();
            assertThat(queue.claim()).returns("2", ClaimedJob::payload).returns(1, ClaimedJob::attempt);
        }

        @Test
        void letsTheLastOfACallWin() {
            String job = "{'type': 'mail', 'unique_key': 'k', 'payload': %d, 'on_conflict': 'REPLACE'}";
            String keeps = "{'type': 'mail', 'unique_key': 'k', 'payload': 9}";

            List<Answer> answers = publishAll(keeps, job.formatted(1), job.formatted(2), keeps);
            assertThat(answers).extracting(Answer::outcome).containsExactly("REPLACED", "REPLACED", "NEW", "EXISTING");
            assertThat(answers).extracting(Answer::id).containsOnly(answers.get(0).id);
            assertThat(payload(answers.get(0).id)).isEqualTo("2");

            assertThat(publishAll(job.formatted(3), job.formatted(4)))
                    .containsExactly(
                            new Answer(answers.get(0).id, "REPLACED"), new Answer(answers.get(0).id, "REPLACED"));
            assertThat(payload(answers.get(0).id)).isEqualTo("4");
            queue.claim();
            assertThat(publishAll(job.formatted(5), job.formatted(6)))
                    .extracting(Answer::outcome)
                    .containsExactly("REPLACED", "NEW");
            assertThat(queue.claim().payload()).isEqualTo("6");
        }

        @Test
        void leavesOtherTypesAlone() {
            Answer other = publishAll("{'type': 'other', 'unique_key': 'k', 'payload': 1}")
                    .get(0);

            assertThat(publish("2", REPLACE).outcome).isEqualTo("NEW");
            assertThat(payload(other.id)).isEqualTo("1");
        }

        @Test
        void changesNothingUnderAnIdThatWasUsed() {
            Answer waiting = publish("1", "");
            String id = UUID.randomUUID().toString();
            String job = "{'type': 'mail', 'payload': 2, 'id': '%s'%s}";
            publishAll(job.formatted(id, ", 'priority': 9"));
            complete(queue.claim());

            assertThat(publishAll(job.formatted(id, ", 'unique_key': 'k', " + REPLACE)))
                    .containsExactly(new Answer(UUID.fromString(id), "EXISTING"));
            assertThat(payload(waiting.id)).isEqualTo("1");
        }

        @Test
        void comesBeforeTheClaimOfAJobThatIsPublishedLater() {
            Answer first = publish("1", "'delay': '1 hour'");
            queue.publish("priority => 1");

            publish("2", REPLACE + ", 'priority': 5");

            assertThat(queue.claim().lease().id()).isEqualTo(first.id);
        }
    }

    @Nested
    class Postpone {

        private static final String POSTPONE = "'on_conflict': 'POSTPONE', 'delay': '1 hour'";

        @Test
        void changesTheTimeAlone() {
            Answer first = publish("1", "'queue': 'slow', 'priority': 3");

            assertThat(publish("2", POSTPONE)).isEqualTo(new Answer(first.id, "EXISTING"));

            assertThat(queue.row("SELECT payload::text, queue, priority, state FROM queue.live_job"))
                    .isEqualTo(Map.of("payload", "1", "queue", "slow", "priority", 3, "state", "SCHEDULED"));
        }

        @Test
        void leavesTheTimeOfTheNextAttempt() {
            Answer first = publish("1", "");
            ClaimedJob running = queue.claim();
            queue.reports.saveStep(running.lease(), "charge", "1");
            fail(running);
            Object due = queue.job(first.id).get("run_at");

            publish("2", POSTPONE);

            assertThat(queue.job(first.id)).containsEntry("run_at", due).containsEntry("attempt", 1);
        }

        @Test
        void publishesBesideAJobThatRuns() {
            publish("1", "");
            queue.claim();

            assertThat(publish("2", POSTPONE).outcome).isEqualTo("NEW");
        }
    }

    @Nested
    class Fail {

        private static final String FAIL = "'on_conflict': 'FAIL'";

        private void refuses(UUID holder, Runnable call) {
            queue.refuses(JobExistsException.class, call::run)
                    .hasMessageContaining("unique_key is 'k': job '%s' of type 'mail'".formatted(holder))
                    .hasMessageEndingWith("or with on_conflict KEEP or REPLACE.")
                    .asInstanceOf(InstanceOfAssertFactories.type(JobExistsException.class))
                    .returns(holder, JobExistsException::jobId);
        }

        private NewJob failing(String key) {
            return new NewJob(
                    UUID.randomUUID(),
                    false,
                    "mail",
                    "{}",
                    null,
                    0,
                    null,
                    null,
                    null,
                    null,
                    key,
                    null,
                    new UniqueRules(null, dev.jobqueue.OnConflict.FAIL, null),
                    null);
        }

        @Test
        void publishesWhereTheKeyIsFree() {
            assertThat(publish("1", FAIL).outcome).isEqualTo("NEW");
        }

        @Test
        void publishesNothingOfTheCall() {
            UUID holder = publish("1", "").id;

            refuses(holder, () -> queue.call("publish('mail', '{}', unique_key => 'k', on_conflict => 'FAIL')"));
            refuses(
                    holder,
                    () -> queue.publications.publish(List.of(failing("other"), failing("k"), failing("last")), true));
            queue.claim();
            refuses(holder, () -> queue.publications.publish(List.of(failing("k")), true));
        }

        @Test
        void refusesAKeyThatComesTwiceInACall() {
            NewJob first = failing("k");

            refuses(first.id(), () -> queue.publications.publish(List.of(first, failing("k")), true));
        }

        @Test
        void publishesWhenTheKeyIsFreeAgain() {
            publish("1", "");
            complete(queue.claim());

            assertThat(publish("2", FAIL).outcome).isEqualTo("NEW");
        }

        @Test
        void isNoErrorForAnIdThatWasPublishedBefore() {
            String job = "{'type': 'mail', 'unique_key': 'k', 'payload': 1, 'id': '%s', 'on_conflict': 'FAIL'}"
                    .formatted(UUID.randomUUID());
            publishAll(job);

            assertThat(publishAll(job)).extracting(Answer::outcome).containsExactly("EXISTING");
            complete(queue.claim());
            publish("2", "");
            assertThat(publishAll(job)).extracting(Answer::outcome).containsExactly("EXISTING");
        }
    }

    @Nested
    class UniqueFor {

        private static final String HOUR = "'unique_for': '1 hour'";

        /** As if so much time had gone by for all windows. */
        private void pass(String interval) {
            queue.execute("UPDATE queue.taken_key SET until = until - interval '%s'".formatted(interval));
        }

        @Test
        void outlivesTheJobAndItsHistory() {
            Answer first = publish("1", HOUR);
            complete(queue.claim());
            queue.execute("DELETE FROM queue.job_history");
            queue.upkeep.prune(1_000);

            assertThat(publish("2", HOUR)).isEqualTo(new Answer(first.id, "EXISTING"));
            assertThat(publish("3", "")).isEqualTo(new Answer(first.id, "EXISTING"));
            assertThat(live()).isEmpty();
        }

        @Test
        void endsAtItsTime() {
            publish("1", HOUR);
            complete(queue.claim());
            pass("59 minutes");
            assertThat(publish("2", HOUR).outcome).isEqualTo("EXISTING");
            pass("1 minute");

            Answer second = publish("2", HOUR);
            assertThat(second.outcome).isEqualTo("NEW");
            complete(queue.claim());
            assertThat(publish("3", HOUR)).isEqualTo(new Answer(second.id, "EXISTING"));
        }

        @Test
        void endsNotBeforeTheJob() {
            Answer first = publish("1", HOUR);
            pass("2 hours");

            assertThat(publish("2", HOUR)).isEqualTo(new Answer(first.id, "EXISTING"));
            queue.claim();
            assertThat(publish("2", HOUR)).isEqualTo(new Answer(first.id, "EXISTING"));
        }

        @Test
        void endsWhenTheJobIsCancelled() {
            queue.operations.cancel(publish("1", HOUR).id);
            Answer second = publish("2", HOUR);
            assertThat(second.outcome).isEqualTo("NEW");
            JobLease running = queue.claim().lease();
            queue.operations.cancel(second.id);
            queue.settlements.confirmCancel(running);

            assertThat(publish("3", HOUR).outcome).isEqualTo("NEW");
        }

        @Test
        void staysWithADeadLetterUntilThatIsPurged() {
            Answer first = publish("1", HOUR + ", 'max_attempts': 1");
            fail(queue.claim());
            assertThat(publish("2", HOUR)).isEqualTo(new Answer(first.id, "EXISTING"));

            queue.call("replay('%s')".formatted(first.id));
            fail(queue.claim());
            assertThat(publish("2", HOUR)).isEqualTo(new Answer(first.id, "EXISTING"));

            queue.call("purge('%s')".formatted(first.id));
            Answer second = publish("2", HOUR + ", 'max_attempts': 1");
            assertThat(second.outcome).isEqualTo("NEW");
            fail(queue.claim());
            queue.call("purge_jobs('{\"state\": \"DEAD\"}')");
            assertThat(publish("3", HOUR).outcome).isEqualTo("NEW");
        }

        @Test
        void isTrimmedWhenItIsOver() {
            publish("1", HOUR);
            publishAll("{'type': 'mail', 'unique_key': 'other', 'payload': 1, " + HOUR + "}");
            queue.execute("UPDATE queue.taken_key SET until = now() WHERE key = 'other'");

            queue.upkeep.prune(1_000);

            assertThat(queue.list(String.class, "SELECT key FROM queue.taken_key"))
                    .containsExactly("k");
        }

        @Test
        void failsWithTheJobThatHasIt() {
            Answer first = publish("1", HOUR);
            complete(queue.claim());

            queue.refuses(
                            JobExistsException.class,
                            () -> queue.call("publish('mail', '{}', unique_key => 'k', on_conflict => 'FAIL')"))
                    .hasMessageContaining("job '%s' of type 'mail' has it until ".formatted(first.id));
        }

        @Test
        void beginsAnewWhenAJobThatWaitsIsReplaced() {
            Answer first = publish("1", "'delay': '1 hour'");

            assertThat(publish("2", HOUR + ", 'on_conflict': 'REPLACE'")).isEqualTo(new Answer(first.id, "REPLACED"));
            pass("30 minutes");
            publish("3", HOUR + ", 'on_conflict': 'REPLACE'");
            complete(queue.claim());
            pass("40 minutes");

            assertThat(publish("4", HOUR + ", 'on_conflict': 'REPLACE'"))
                    .as("one that has ended")
                    .isEqualTo(new Answer(first.id, "EXISTING"));
        }

        @Test
        void keepsAJobThatRunsFromGivingUpItsKey() {
            Answer first = publish("1", HOUR);
            queue.claim();

            assertThat(publish("2", "'on_conflict': 'REPLACE'")).isEqualTo(new Answer(first.id, "EXISTING"));
            assertThat(queue.job(first.id)).containsEntry("unique_key", "k").containsEntry("superseded_by", null);
        }

        @Test
        void doesNotKeepTheRestOfABatchFromBeingPublished() {
            Answer first = publish("1", HOUR);
            complete(queue.claim());
            String job = "{'type': 'mail', 'unique_key': '%s', 'payload': 2, 'unique_for': '1 hour'}";

            assertThat(publishAll(job.formatted("a"), job.formatted("k"), job.formatted("z"), job.formatted("a")))
                    .extracting(Answer::outcome)
                    .containsExactly("NEW", "EXISTING", "NEW", "EXISTING");
            assertThat(live()).hasSize(2).doesNotContain(first.id);
        }
    }

    @Nested
    class Debounce {

        private static final String DEBOUNCE = "'delay': '5 minutes', 'max_delay': '1 hour', 'on_conflict': '%s'";
        private static final String LATEST = DEBOUNCE.formatted("REPLACE");
        private static final String FIRST = DEBOUNCE.formatted("POSTPONE");

        /** As if the job had been published, and put off, so long before. */
        private void pass(String interval) {
            queue.execute(
                    "WITH moved AS (UPDATE queue.scheduled SET run_at = run_at - interval '%1$s' RETURNING id, run_at)"
                                    .formatted(interval)
                            + " UPDATE queue.job SET run_at = moved.run_at, created_at = created_at - interval '%s'"
                                    .formatted(interval)
                            + " FROM moved WHERE job.id = moved.id");
        }

        private Duration untilDue(UUID id) {
            return Duration.ofSeconds(queue.one(
                    Long.class,
                    "SELECT round(extract(epoch FROM run_at - clock_timestamp()))::bigint FROM queue.live_job WHERE id = ?",
                    id));
        }

        @ParameterizedTest
        @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
        void putsTheJobOffUntilNothingComes(String onConflict) {
            Answer first = publish("1", DEBOUNCE.formatted(onConflict));
            assertThat(untilDue(first.id)).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
            pass("4 minutes");

            assertThat(publish("2", DEBOUNCE.formatted(onConflict)).id).isEqualTo(first.id);
            assertThat(untilDue(first.id)).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
            assertThat(payload(first.id)).isEqualTo(onConflict.equals(LATEST_NAME) ? "2" : "1");
        }

        @ParameterizedTest
        @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
        void doesNotPutItOffForLongerThanTheMaximum(String onConflict) {
            Answer first = publish("1", DEBOUNCE.formatted(onConflict));
            pass("58 minutes");

            publish("2", DEBOUNCE.formatted(onConflict));

            assertThat(untilDue(first.id)).isBetween(Duration.ofSeconds(110), Duration.ofSeconds(120));
        }

        @ParameterizedTest
        @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
        void leavesAJobAloneThatHasWaitedForTheMaximum(String onConflict) {
            Answer first = publish("1", DEBOUNCE.formatted(onConflict));
            pass("60 minutes");

            Answer second = publish("2", DEBOUNCE.formatted(onConflict));

            assertThat(second.outcome).isEqualTo("NEW");
            assertThat(untilDue(second.id)).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
            queue.upkeep.promote(10);
            assertThat(queue.claim())
                    .returns("1", ClaimedJob::payload)
                    .returns(first.id, job -> job.lease().id());
        }

        @ParameterizedTest
        @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
        void makesANewJobWhileOneRuns(String onConflict) {
            Answer first = publish("1", DEBOUNCE.formatted(onConflict));
            queue.promoteAll();
            ClaimedJob running = queue.claim();

            Answer second = publish("2", DEBOUNCE.formatted(onConflict));
            assertThat(second.outcome).isEqualTo("NEW");
            assertThat(publish("3", DEBOUNCE.formatted(onConflict)).id).isEqualTo(second.id);
            complete(running);
            assertThat(live()).containsExactly(second.id).doesNotContain(first.id);
        }

        @Test
        void countsTheMaximumAnewForAJobThatWasTried() {
            Answer first = publish("1", LATEST);
            pass("1 hour");
            queue.upkeep.promote(10);
            fail(queue.claim());

            assertThat(publish("2", LATEST)).isEqualTo(new Answer(first.id, "REPLACED"));
            assertThat(untilDue(first.id)).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
        }

        @Test
        void countsTheMaximumFromTheFirstPublicationToo() {
            Answer first = publish(
                    "1", "'run_at': '2200-01-01T00:00:00Z', 'max_delay': '1 hour', " + "'on_conflict': 'REPLACE'");

            assertThat(untilDue(first.id)).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
            assertThat(FIRST).contains(FIRST_NAME);
        }
    }

    private static final String LATEST_NAME = "REPLACE";
    private static final String FIRST_NAME = "POSTPONE";

    private record Answer(UUID id, String outcome) {}
}
