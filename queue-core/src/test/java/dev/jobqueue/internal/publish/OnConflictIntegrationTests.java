package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.jobqueue.JobExistsException;
import dev.jobqueue.JobState;
import dev.jobqueue.OnConflict;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.KeyedJobs.Answer;
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
class OnConflictIntegrationTests {

    private static final KeyedJobs jobs = new KeyedJobs();
    private static final QueueFixture queue = jobs.queue;

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @AfterEach
    void audit() throws SQLException {
        queue.audit();
    }

    @Nested
    class Keep {

        @ParameterizedTest
        @ValueSource(strings = {"", "'on_conflict': 'KEEP'"})
        void leavesTheOtherJobAsItIs(String further) {
            Answer first = jobs.publish("1", further);

            assertThat(first.outcome()).isEqualTo("NEW");
            assertThat(jobs.publish("2", further)).isEqualTo(new Answer(first.id(), "EXISTING"));
            assertThat(jobs.payload(first.id())).isEqualTo("1");
        }

        @Test
        void tellsOfIdsToo() {
            String job = "{'type': 'mail', 'payload': 1, 'id': '01890000-0000-7000-8000-000000000001'}";

            assertThat(jobs.publishAll(job, job, "{'type': 'mail', 'payload': 1}"))
                    .extracting(Answer::outcome)
                    .containsExactly("NEW", "EXISTING", "NEW");
            jobs.complete(queue.claim());
            assertThat(jobs.publishAll(job)).extracting(Answer::outcome).containsExactly("EXISTING");
        }
    }

    @Nested
    class Replace {

        private static final String REPLACE = "'on_conflict': 'REPLACE'";

        @Test
        void publishesWhereTheKeyIsFree() {
            assertThat(jobs.publish("1", REPLACE).outcome()).isEqualTo("NEW");
        }

        @ParameterizedTest
        @ValueSource(strings = {"'delay': '1 hour'", "'priority': 3"})
        void changesAJobThatWaits(String before) {
            Answer first = jobs.publish("1", before);

            assertThat(jobs.publish(
                            "[2]",
                            REPLACE + ", 'queue': 'slow', 'priority': 7, 'timeout': '5 s', 'max_attempts': 9,"
                                    + " 'headers': {'h': 'x'}"))
                    .isEqualTo(new Answer(first.id(), "REPLACED"));

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT (payload::jsonb, queue, priority, timeout, max_attempts, headers, state,"
                                    + " unique_key)"
                                    + " = (jsonb '[2]', 'slow', 7, interval '5 s', 9, jsonb '{\"h\": \"x\"}',"
                                    + " 'PENDING', 'k')"
                                    + " FROM queue.live_job WHERE id = ?",
                            first.id()))
                    .isTrue();
            assertThat(queue.claims.claim(UUID.randomUUID(), Map.of("slow", 5), null))
                    .extracting(job -> job.lease().id(), ClaimedJob::payload)
                    .containsExactly(tuple(first.id(), "[2]"));
        }

        @Test
        void takesBackWhatTheNewJobLeavesOut() {
            Answer first = jobs.publish(
                    "1",
                    "'queue': 'slow', 'priority': 7, 'timeout': '5 s', 'max_attempts': 9," + " 'headers': {'h': 'x'}");

            jobs.publish("2", REPLACE);

            assertThat(queue.row(
                            "SELECT queue, priority, timeout, max_attempts, headers FROM queue.live_job WHERE id = ?",
                            first.id()))
                    .containsEntry("queue", "default")
                    .containsEntry("priority", 0)
                    .containsEntry("timeout", null)
                    .containsEntry("max_attempts", null)
                    .containsEntry("headers", null);
        }

        @Test
        void putsOffAJobThatIsDue() {
            Answer first = jobs.publish("1", "");

            jobs.publish("2", REPLACE + ", 'delay': '1 hour'");

            assertThat(queue.stateOf(first.id())).isEqualTo(JobState.SCHEDULED);
            assertThat(queue.claim(UUID.randomUUID(), 5)).isEmpty();
        }

        @Test
        void publishesBesideAJobThatRuns() {
            Answer first = jobs.publish("1", "");
            ClaimedJob running = queue.claim();

            Answer second = jobs.publish("2", REPLACE);
            assertThat(second.outcome()).isEqualTo("NEW");
            assertThat(jobs.publish("3", REPLACE)).isEqualTo(new Answer(second.id(), "REPLACED"));
            assertThat(queue.list(String.class, "SELECT reason FROM queue.why(?)", first.id()))
                    .contains("SUPERSEDED");

            jobs.complete(running);
            assertThat(queue.stateOf(first.id())).isEqualTo(JobState.COMPLETED);
            assertThat(queue.claim().payload()).isEqualTo("3");
        }

        @Test
        void doesNotTryTheReplacedRunAgain() {
            ClaimedJob failing = superseded("1");
            jobs.fail(failing);
            assertThat(queue.history(failing.lease().id()))
                    .containsEntry("state", "CANCELLED")
                    .extractingByKey("errors")
                    .asString()
                    .contains("oops");
        }

        @Test
        void buriesTheReplacedRunWhenItWasTheLastAttempt() {
            jobs.publish("1", "'max_attempts': 1");
            ClaimedJob failing = queue.claim();
            jobs.publish("2", REPLACE);

            jobs.fail(failing);

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
            jobs.publish(payload, "");
            ClaimedJob running = queue.claim();
            Answer second = jobs.publish("0", REPLACE);
            assertThat(second.outcome()).isEqualTo("NEW");
            queue.operations.cancel(second.id());
            return running;
        }

        @Test
        void startsAJobAnewThatWasTried() {
            Answer first = jobs.publish("1", "");
            ClaimedJob running = queue.claim();
            queue.reports.saveStep(running.lease(), "charge", "1");
            queue.reports.log(running.lease(), "INFO", "charged");
            queue.reports.progress(running.lease(), 50, "half way");
            jobs.fail(running);

            assertThat(jobs.publish("2", REPLACE)).isEqualTo(new Answer(first.id(), "REPLACED"));

            assertThat(queue.row(
                            "SELECT attempt, percent, stage, steps, events, state, jsonb_array_length(errors) AS errors"
                                    + " FROM queue.live_job WHERE id = ?",
                            first.id()))
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

            List<Answer> answers = jobs.publishAll(keeps, job.formatted(1), job.formatted(2), keeps);
            assertThat(answers).extracting(Answer::outcome).containsExactly("REPLACED", "REPLACED", "NEW", "EXISTING");
            assertThat(answers)
                    .extracting(Answer::id)
                    .containsOnly(answers.get(0).id());
            assertThat(jobs.payload(answers.get(0).id())).isEqualTo("2");

            assertThat(jobs.publishAll(job.formatted(3), job.formatted(4)))
                    .containsExactly(
                            new Answer(answers.get(0).id(), "REPLACED"),
                            new Answer(answers.get(0).id(), "REPLACED"));
            assertThat(jobs.payload(answers.get(0).id())).isEqualTo("4");
            queue.claim();
            assertThat(jobs.publishAll(job.formatted(5), job.formatted(6)))
                    .extracting(Answer::outcome)
                    .containsExactly("REPLACED", "NEW");
            assertThat(queue.claim().payload()).isEqualTo("6");
        }

        @Test
        void leavesOtherTypesAlone() {
            Answer other = jobs.publishAll("{'type': 'other', 'unique_key': 'k', 'payload': 1}")
                    .get(0);

            assertThat(jobs.publish("2", REPLACE).outcome()).isEqualTo("NEW");
            assertThat(jobs.payload(other.id())).isEqualTo("1");
        }

        @Test
        void changesNothingUnderAnIdThatWasUsed() {
            Answer waiting = jobs.publish("1", "");
            String id = UUID.randomUUID().toString();
            String job = "{'type': 'mail', 'payload': 2, 'id': '%s'%s}";
            jobs.publishAll(job.formatted(id, ", 'priority': 9"));
            jobs.complete(queue.claim());

            assertThat(jobs.publishAll(job.formatted(id, ", 'unique_key': 'k', " + REPLACE)))
                    .containsExactly(new Answer(UUID.fromString(id), "EXISTING"));
            assertThat(jobs.payload(waiting.id())).isEqualTo("1");
        }

        @Test
        void comesBeforeTheClaimOfAJobThatIsPublishedLater() {
            Answer first = jobs.publish("1", "'delay': '1 hour'");
            queue.publish("priority => 1");

            jobs.publish("2", REPLACE + ", 'priority': 5");

            assertThat(queue.claim().lease().id()).isEqualTo(first.id());
        }
    }

    @Nested
    class Postpone {

        private static final String POSTPONE = "'on_conflict': 'POSTPONE', 'delay': '1 hour'";

        @Test
        void changesTheTimeAlone() {
            Answer first = jobs.publish("1", "'queue': 'slow', 'priority': 3");

            assertThat(jobs.publish("2", POSTPONE)).isEqualTo(new Answer(first.id(), "EXISTING"));

            assertThat(queue.row("SELECT payload::text, queue, priority, state FROM queue.live_job"))
                    .isEqualTo(Map.of("payload", "1", "queue", "slow", "priority", 3, "state", "SCHEDULED"));
        }

        @Test
        void leavesTheTimeOfTheNextAttempt() {
            Answer first = jobs.publish("1", "");
            ClaimedJob running = queue.claim();
            queue.reports.saveStep(running.lease(), "charge", "1");
            jobs.fail(running);
            Object due = queue.job(first.id()).get("run_at");

            jobs.publish("2", POSTPONE);

            assertThat(queue.job(first.id())).containsEntry("run_at", due).containsEntry("attempt", 1);
        }

        @Test
        void publishesBesideAJobThatRuns() {
            jobs.publish("1", "");
            queue.claim();

            assertThat(jobs.publish("2", POSTPONE).outcome()).isEqualTo("NEW");
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
            return NewJobs.with(UUID.randomUUID(), "mail", "{}")
                    .uniqueKey(key)
                    .uniqueRules(new UniqueRules(null, OnConflict.FAIL, null))
                    .build();
        }

        @Test
        void publishesWhereTheKeyIsFree() {
            assertThat(jobs.publish("1", FAIL).outcome()).isEqualTo("NEW");
        }

        @Test
        void publishesNothingOfTheCall() {
            UUID holder = jobs.publish("1", "").id();

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
            jobs.publish("1", "");
            jobs.complete(queue.claim());

            assertThat(jobs.publish("2", FAIL).outcome()).isEqualTo("NEW");
        }

        @Test
        void isNoErrorForAnIdThatWasPublishedBefore() {
            String job = "{'type': 'mail', 'unique_key': 'k', 'payload': 1, 'id': '%s', 'on_conflict': 'FAIL'}"
                    .formatted(UUID.randomUUID());
            jobs.publishAll(job);

            assertThat(jobs.publishAll(job)).extracting(Answer::outcome).containsExactly("EXISTING");
            jobs.complete(queue.claim());
            jobs.publish("2", "");
            assertThat(jobs.publishAll(job)).extracting(Answer::outcome).containsExactly("EXISTING");
        }
    }
}
