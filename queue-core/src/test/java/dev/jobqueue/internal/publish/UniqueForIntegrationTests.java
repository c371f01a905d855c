package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobExistsException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.publish.KeyedJobs.Answer;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Keys that stay taken when their job has ended. */
class UniqueForIntegrationTests {

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

    private static final String HOUR = "'unique_for': '1 hour'";

    /** As if so much time had gone by for all windows. */
    private void pass(String interval) {
        queue.execute("UPDATE queue.taken_key SET until = until - interval '%s'".formatted(interval));
    }

    @Test
    void outlivesTheJobAndItsHistory() {
        Answer first = jobs.publish("1", HOUR);
        jobs.complete(queue.claim());
        queue.execute("DELETE FROM queue.job_history");
        queue.upkeep.prune(1_000);

        assertThat(jobs.publish("2", HOUR)).isEqualTo(new Answer(first.id(), "EXISTING"));
        assertThat(jobs.publish("3", "")).isEqualTo(new Answer(first.id(), "EXISTING"));
        assertThat(jobs.live()).isEmpty();
    }

    @Test
    void endsAtItsTime() {
        jobs.publish("1", HOUR);
        jobs.complete(queue.claim());
        pass("59 minutes");
        assertThat(jobs.publish("2", HOUR).outcome()).isEqualTo("EXISTING");
        pass("1 minute");

        Answer second = jobs.publish("2", HOUR);
        assertThat(second.outcome()).isEqualTo("NEW");
        jobs.complete(queue.claim());
        assertThat(jobs.publish("3", HOUR)).isEqualTo(new Answer(second.id(), "EXISTING"));
    }

    @Test
    void endsNotBeforeTheJob() {
        Answer first = jobs.publish("1", HOUR);
        pass("2 hours");

        assertThat(jobs.publish("2", HOUR)).isEqualTo(new Answer(first.id(), "EXISTING"));
        queue.claim();
        assertThat(jobs.publish("2", HOUR)).isEqualTo(new Answer(first.id(), "EXISTING"));
    }

    @Test
    void endsWhenTheJobIsCancelled() {
        queue.operations.cancel(jobs.publish("1", HOUR).id());
        Answer second = jobs.publish("2", HOUR);
        assertThat(second.outcome()).isEqualTo("NEW");
        JobLease running = queue.claim().lease();
        queue.operations.cancel(second.id());
        queue.settlements.confirmCancel(running);

        assertThat(jobs.publish("3", HOUR).outcome()).isEqualTo("NEW");
    }

    @Test
    void staysWithADeadLetterUntilThatIsPurged() {
        Answer first = jobs.publish("1", HOUR + ", 'max_attempts': 1");
        jobs.fail(queue.claim());
        assertThat(jobs.publish("2", HOUR)).isEqualTo(new Answer(first.id(), "EXISTING"));

        queue.call("replay('%s')".formatted(first.id()));
        jobs.fail(queue.claim());
        assertThat(jobs.publish("2", HOUR)).isEqualTo(new Answer(first.id(), "EXISTING"));

        queue.call("purge('%s')".formatted(first.id()));
        Answer second = jobs.publish("2", HOUR + ", 'max_attempts': 1");
        assertThat(second.outcome()).isEqualTo("NEW");
        jobs.fail(queue.claim());
        queue.call("purge_jobs('{\"state\": \"DEAD\"}')");
        assertThat(jobs.publish("3", HOUR).outcome()).isEqualTo("NEW");
    }

    @Test
    void goesToAReplayedJobThatIsReplaced() {
        Answer dead = jobs.publish("1", "'max_attempts': 1");
        jobs.fail(queue.claim());
        jobs.publish("2", HOUR);
        jobs.complete(queue.claim());
        queue.call("replay('%s')".formatted(dead.id()));

        assertThat(jobs.publish("3", HOUR + ", 'on_conflict': 'REPLACE'")).isEqualTo(new Answer(dead.id(), "REPLACED"));
        jobs.complete(queue.claim());
        assertThat(jobs.publish("4", HOUR)).isEqualTo(new Answer(dead.id(), "EXISTING"));
    }

    @Test
    void isTrimmedWhenItIsOver() {
        jobs.publish("1", HOUR);
        jobs.publishAll("{'type': 'mail', 'unique_key': 'other', 'payload': 1, " + HOUR + "}");
        queue.execute("UPDATE queue.taken_key SET until = now() WHERE key = 'other'");

        queue.upkeep.prune(1_000);

        assertThat(queue.list(String.class, "SELECT key FROM queue.taken_key")).containsExactly("k");
    }

    @Test
    void failsWithTheJobThatHasIt() {
        Answer first = jobs.publish("1", HOUR);
        jobs.complete(queue.claim());

        queue.refuses(
                        JobExistsException.class,
                        () -> queue.call("publish('mail', '{}', unique_key => 'k', on_conflict => 'FAIL')"))
                .hasMessageContaining("job '%s' of type 'mail' has it until ".formatted(first.id()));
    }

    @Test
    void beginsAnewWhenAJobThatWaitsIsReplaced() {
        Answer first = jobs.publish("1", "'delay': '1 hour'");

        assertThat(jobs.publish("2", HOUR + ", 'on_conflict': 'REPLACE'"))
                .isEqualTo(new Answer(first.id(), "REPLACED"));
        pass("30 minutes");
        jobs.publish("3", HOUR + ", 'on_conflict': 'REPLACE'");
        jobs.complete(queue.claim());
        pass("40 minutes");

        assertThat(jobs.publish("4", HOUR + ", 'on_conflict': 'REPLACE'"))
                .as("one that has ended")
                .isEqualTo(new Answer(first.id(), "EXISTING"));
    }

    @Test
    void keepsAJobThatRunsFromGivingUpItsKey() {
        Answer first = jobs.publish("1", HOUR);
        queue.claim();

        assertThat(jobs.publish("2", "'on_conflict': 'REPLACE'")).isEqualTo(new Answer(first.id(), "EXISTING"));
        assertThat(queue.job(first.id())).containsEntry("unique_key", "k").containsEntry("superseded_by", null);
    }

    @Test
    void doesNotKeepTheRestOfABatchFromBeingPublished() {
        Answer first = jobs.publish("1", HOUR);
        jobs.complete(queue.claim());
        String job = "{'type': 'mail', 'unique_key': '%s', 'payload': 2, 'unique_for': '1 hour'}";

        assertThat(jobs.publishAll(job.formatted("a"), job.formatted("k"), job.formatted("z"), job.formatted("a")))
                .extracting(Answer::outcome)
                .containsExactly("NEW", "EXISTING", "NEW", "EXISTING");
        assertThat(jobs.live()).hasSize(2).doesNotContain(first.id());
    }
}
