package dev.jobqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class StepsAndEventsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static ClaimedJob failAndClaimAgain(JobLease lease) {
        queue.settlements.failAll(List.of(new Failure(lease, "oops", true)));
        queue.letAnHourPass();
        queue.upkeep.promote(10);
        return queue.claim();
    }

    @Nested
    class Steps {

        @Test
        void areHandedOutToTheNextAttempt() {
            JobLease lease = queue.claimNew();
            queue.reports.saveStep(lease, "render", "{\"pages\": 3}");
            queue.reports.saveStep(lease, "mail", null);

            ClaimedJob again = failAndClaimAgain(lease);

            assertThat(again.lease().id()).isEqualTo(lease.id());
            assertThat(again.steps()).isEqualTo("{\"mail\": null, \"render\": {\"pages\": 3}}");
            assertThat(queue.job(lease.id())).containsEntry("steps", 2);
        }

        @Test
        void keepTheLatestResultWhenSavedAgain() {
            JobLease lease = queue.claimNew();
            queue.reports.saveStep(lease, "render", "1");
            queue.reports.saveStep(lease, "render", "2");

            assertThat(queue.list(String.class, "SELECT result FROM queue.job_step"))
                    .containsExactly("2");
            assertThat(queue.job(lease.id())).containsEntry("steps", 1);
        }

        @Test
        void surviveRescueAndReplay() {
            JobLease lease = queue.claimNew("max_attempts => 1");
            queue.reports.saveStep(lease, "render", "1");
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 10);
            queue.operations.replay(lease.id());

            assertThat(queue.claim().steps()).isEqualTo("{\"render\": 1}");
        }

        @Test
        void areEachJobsOwn() {
            JobLease one = queue.claimNew();
            JobLease two = queue.claimNew();
            queue.reports.saveStep(one, "render", "1");
            queue.reports.saveStep(two, "render", "2");
            queue.settlements.release(List.of(one, two));

            assertThat(queue.claim(UUID.randomUUID(), 2))
                    .extracting(ClaimedJob::steps)
                    .containsExactly("{\"render\": 1}", "{\"render\": 2}");
        }
    }

    @Nested
    class Events {

        @Test
        void showProgressAtOnceAndCountEveryOne() {
            JobLease lease = queue.claimNew();
            queue.reports.progress(lease, 0, "start");
            queue.reports.log(lease, "WARN", "slow");
            queue.reports.progress(lease, 100, null);

            assertThat(queue.job(lease.id()))
                    .containsEntry("percent", 100)
                    .containsEntry("stage", "start")
                    .containsEntry("events", 3);
            assertThat(queue.list(
                            String.class,
                            "SELECT concat_ws(' ', number, kind, level, percent, stage, message)"
                                    + " FROM queue.job_event WHERE job_id = ? ORDER BY number",
                            lease.id()))
                    .containsExactly("1 PROGRESS 0 start", "2 LOG WARN slow", "3 PROGRESS 100");
        }

        @Test
        void hasAStageOfAsManyCharactersAsTheContextLetsThrough() {
            JobLease lease = queue.claimNew();
            queue.reports.progress(lease, 1, "x".repeat(HandlerContext.MOST_OF_A_STAGE));
            queue.refuses(
                    InvalidJobException.class,
                    () -> queue.reports.progress(lease, 1, "x".repeat(HandlerContext.MOST_OF_A_STAGE + 1)));
        }

        @Test
        void goOnBeingCountedInTheNextAttempt() {
            JobLease lease = queue.claimNew();
            queue.reports.progress(lease, 40, "half way");
            ClaimedJob again = failAndClaimAgain(lease);

            assertThat(again.percent()).isEqualTo(40);
            assertThat(again.stage()).isEqualTo("half way");
            queue.reports.log(again.lease(), "INFO", "again");
            assertThat(queue.list(Integer.class, "SELECT number FROM queue.job_event ORDER BY 1"))
                    .containsExactly(1, 2);
        }

        @Test
        void cutAMessageThatIsVeryLong() {
            JobLease lease = queue.claimNew();
            queue.reports.log(lease, "INFO", "x".repeat(30_000));

            assertThat(queue.one(Integer.class, "SELECT length(message) FROM queue.job_event"))
                    .isEqualTo(20_000);
        }
    }

    @Nested
    class Extend {

        @Test
        void countsTheTimeoutFromNow() {
            JobLease lease = queue.claimNew("timeout => '1 minute'");
            Instant before = queue.clock();

            Instant extended = queue.reports.extend(lease, Duration.ofHours(3));

            assertThat(extended)
                    .isBetween(before.plus(Duration.ofHours(3)), queue.clock().plus(Duration.ofHours(3)));
            assertThat(queue.one(Instant.class, "SELECT timeout_at FROM queue.live_job"))
                    .isEqualTo(extended);
        }

        @Test
        void givesATimeoutToAJobWithoutOneForThisAttemptOnly() {
            JobLease lease = queue.claimNew();
            queue.reports.extend(lease, Duration.ofMinutes(1));

            assertThat(failAndClaimAgain(lease).timeoutMillis()).isNull();
            assertThat(queue.job(lease.id())).containsEntry("timeout_at", null);
        }

        @Test
        void keepsTheJobFromBeingRescued() {
            JobLease lease = queue.claimNew("timeout => '1 minute'");
            queue.claimedEarlierBy("61 seconds");
            queue.reports.extend(lease, Duration.ofMinutes(1));

            assertThat(queue.upkeep
                            .rescue(Duration.ofSeconds(20), Duration.ZERO, 10)
                            .jobs())
                    .isEmpty();
        }
    }
}
