package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.KeyedJobs.Answer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that wait until nothing more comes, but not for ever. */
class DebounceIntegrationTests {

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

    private static final String LATEST_NAME = "REPLACE";
    private static final String FIRST_NAME = "POSTPONE";

    private static final String DEBOUNCE = "'delay': '5 minutes', 'max_delay': '1 hour', 'on_conflict': '%s'";
    private static final String LATEST = DEBOUNCE.formatted("REPLACE");

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
        Answer first = jobs.publish("1", DEBOUNCE.formatted(onConflict));
        assertThat(untilDue(first.id())).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
        pass("4 minutes");

        assertThat(jobs.publish("2", DEBOUNCE.formatted(onConflict)).id()).isEqualTo(first.id());
        assertThat(untilDue(first.id())).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
        assertThat(jobs.payload(first.id())).isEqualTo(onConflict.equals(LATEST_NAME) ? "2" : "1");
    }

    @ParameterizedTest
    @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
    void doesNotPutItOffForLongerThanTheMaximum(String onConflict) {
        Answer first = jobs.publish("1", DEBOUNCE.formatted(onConflict));
        pass("58 minutes");

        jobs.publish("2", DEBOUNCE.formatted(onConflict));

        assertThat(untilDue(first.id())).isBetween(Duration.ofSeconds(110), Duration.ofSeconds(120));
    }

    @ParameterizedTest
    @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
    void leavesAJobAloneThatHasWaitedForTheMaximum(String onConflict) {
        Answer first = jobs.publish("1", DEBOUNCE.formatted(onConflict));
        pass("60 minutes");

        Answer second = jobs.publish("2", DEBOUNCE.formatted(onConflict));

        assertThat(second.outcome()).isEqualTo("NEW");
        assertThat(untilDue(second.id())).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
        queue.upkeep.promote(10);
        assertThat(queue.claim())
                .returns("1", ClaimedJob::payload)
                .returns(first.id(), job -> job.lease().id());
    }

    @ParameterizedTest
    @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
    void makesANewJobWhileOneRuns(String onConflict) {
        Answer first = jobs.publish("1", DEBOUNCE.formatted(onConflict));
        queue.promoteAll();
        ClaimedJob running = queue.claim();

        Answer second = jobs.publish("2", DEBOUNCE.formatted(onConflict));
        assertThat(second.outcome()).isEqualTo("NEW");
        assertThat(jobs.publish("3", DEBOUNCE.formatted(onConflict)).id()).isEqualTo(second.id());
        jobs.complete(running);
        assertThat(jobs.live()).containsExactly(second.id()).doesNotContain(first.id());
    }

    /** However long nobody claims: one that is left alone, and one that takes what comes. */
    @ParameterizedTest
    @ValueSource(strings = {LATEST_NAME, FIRST_NAME})
    void letsNoMoreThanTwoWait(String onConflict) {
        jobs.publish("1", DEBOUNCE.formatted(onConflict));
        pass("60 minutes");
        Answer second = jobs.publish("2", DEBOUNCE.formatted(onConflict));
        queue.upkeep.promote(10);
        pass("60 minutes");

        assertThat(jobs.publish("3", DEBOUNCE.formatted(onConflict)).id()).isEqualTo(second.id());
        assertThat(jobs.publish("4", DEBOUNCE.formatted(onConflict)).id()).isEqualTo(second.id());
        assertThat(jobs.payload(second.id())).isEqualTo(onConflict.equals(LATEST_NAME) ? "4" : "2");
        queue.claim();
        assertThat(jobs.publish("5", DEBOUNCE.formatted(onConflict)).outcome()).isEqualTo("NEW");
        assertThat(queue.claim().lease().id()).isEqualTo(second.id());
    }

    @Test
    void countsTheMaximumAnewForAJobThatWasTried() {
        Answer first = jobs.publish("1", LATEST);
        pass("1 hour");
        queue.upkeep.promote(10);
        jobs.fail(queue.claim());

        assertThat(jobs.publish("2", LATEST)).isEqualTo(new Answer(first.id(), "REPLACED"));
        assertThat(untilDue(first.id())).isBetween(Duration.ofSeconds(290), Duration.ofSeconds(300));
    }

    @Test
    void countsTheMaximumFromTheFirstPublicationToo() {
        Answer first = jobs.publish(
                "1", "'run_at': '2200-01-01T00:00:00Z', 'max_delay': '1 hour', " + "'on_conflict': 'REPLACE'");

        assertThat(untilDue(first.id())).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(60));
    }
}
