package dev.jobqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.Claim;
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

    private static ClaimedJob failAndClaimAgain(Claim claim) {
        queue.settlements.failAll(List.of(new Failure(claim, "oops", true)));
        queue.letAnHourPass();
        queue.upkeep.promote(10);
        return queue.claim();
    }

    @Nested
    class Steps {

        @Test
        void areHandedOutToTheNextAttempt() {
            Claim claim = queue.claimNew();
            queue.reports.saveStep(claim, "render", "{\"pages\": 3}");
            queue.reports.saveStep(claim, "mail", null);

            ClaimedJob again = failAndClaimAgain(claim);

            assertThat(again.claim().id()).isEqualTo(claim.id());
            assertThat(again.steps()).isEqualTo("{\"mail\": null, \"render\": {\"pages\": 3}}");
            assertThat(queue.job(claim.id())).containsEntry("steps", 2);
        }

        @Test
        void keepTheLatestResultWhenSavedAgain() {
            Claim claim = queue.claimNew();
            queue.reports.saveStep(claim, "render", "1");
            queue.reports.saveStep(claim, "render", "2");

            assertThat(queue.list(String.class, "SELECT result FROM queue.job_step"))
                    .containsExactly("2");
            assertThat(queue.job(claim.id())).containsEntry("steps", 1);
        }

        @Test
        void surviveRescueAndReplay() {
            Claim claim = queue.claimNew("max_attempts => 1");
            queue.reports.saveStep(claim, "render", "1");
            queue.silenceWorkers();
            queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 10);
            queue.operations.replay(claim.id());

            assertThat(queue.claim().steps()).isEqualTo("{\"render\": 1}");
        }

        @Test
        void areEachJobsOwn() {
            Claim one = queue.claimNew();
            Claim two = queue.claimNew();
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
            Claim claim = queue.claimNew();
            queue.reports.progress(claim, 0, "start");
            queue.reports.log(claim, "WARN", "slow");
            queue.reports.progress(claim, 100, null);

            assertThat(queue.job(claim.id()))
                    .containsEntry("percent", 100)
                    .containsEntry("stage", "start")
                    .containsEntry("events", 3);
            assertThat(queue.list(
                            String.class,
                            "SELECT concat_ws(' ', number, kind, level, percent, stage, message)"
                                    + " FROM queue.job_event WHERE job_id = ? ORDER BY number",
                            claim.id()))
                    .containsExactly("1 PROGRESS 0 start", "2 LOG WARN slow", "3 PROGRESS 100");
        }

        @Test
        void goOnBeingCountedInTheNextAttempt() {
            Claim claim = queue.claimNew();
            queue.reports.progress(claim, 40, "half way");
            ClaimedJob again = failAndClaimAgain(claim);

            assertThat(again.percent()).isEqualTo(40);
            assertThat(again.stage()).isEqualTo("half way");
            queue.reports.log(again.claim(), "INFO", "again");
            assertThat(queue.list(Integer.class, "SELECT number FROM queue.job_event ORDER BY 1"))
                    .containsExactly(1, 2);
        }

        @Test
        void cutAMessageThatIsVeryLong() {
            Claim claim = queue.claimNew();
            queue.reports.log(claim, "INFO", "x".repeat(30_000));

            assertThat(queue.one(Integer.class, "SELECT length(message) FROM queue.job_event"))
                    .isEqualTo(20_000);
        }
    }

    @Nested
    class Extend {

        @Test
        void countsTheTimeoutFromNow() {
            Claim claim = queue.claimNew("timeout => '1 minute'");
            Instant before = queue.clock();

            Instant extended = queue.reports.extend(claim, Duration.ofHours(3));

            assertThat(extended)
                    .isBetween(before.plus(Duration.ofHours(3)), queue.clock().plus(Duration.ofHours(3)));
            assertThat(queue.one(Instant.class, "SELECT timeout_at FROM queue.live_job"))
                    .isEqualTo(extended);
        }

        @Test
        void givesATimeoutToAJobWithoutOneForThisAttemptOnly() {
            Claim claim = queue.claimNew();
            queue.reports.extend(claim, Duration.ofMinutes(1));

            assertThat(failAndClaimAgain(claim).timeoutMillis()).isNull();
            assertThat(queue.job(claim.id())).containsEntry("timeout_at", null);
        }

        @Test
        void keepsTheJobFromBeingRescued() {
            Claim claim = queue.claimNew("timeout => '1 minute'");
            queue.claimedEarlierBy("61 seconds");
            queue.reports.extend(claim, Duration.ofMinutes(1));

            assertThat(queue.upkeep
                            .rescue(Duration.ofSeconds(20), Duration.ZERO, 10)
                            .jobs())
                    .isEmpty();
        }
    }
}
