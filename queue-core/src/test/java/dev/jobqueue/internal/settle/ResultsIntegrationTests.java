package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ResultsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @Nested
    class TheHistory {

        @Test
        void keepsResultDurationAndWaitWithTheJob() {
            UUID id = queue.publish(
                    "priority => 7", "unique_key => 'k'", "timeout => '1 hour'", "headers => '{\"h\": 1}'");
            JobLease lease = queue.claim().lease();
            Map<String, Object> live = queue.job(id);
            queue.execute("UPDATE queue.job SET created_at = claimed_at - interval '10 seconds',"
                    + " run_at = claimed_at - interval '4 seconds' FROM queue.lease");
            queue.claimedEarlierBy("1 second");

            queue.settlements.complete(lease, "[1, 2]");

            Map<String, Object> history = queue.history(id);
            for (String column : List.of(
                    "queue",
                    "type",
                    "priority",
                    "payload",
                    "headers",
                    "attempt",
                    "max_attempts",
                    "timeout",
                    "unique_key",
                    "worker_id")) {
                assertThat(history).containsEntry(column, live.get(column));
            }
            assertThat(history.get("result")).hasToString("[1, 2]");
            assertThat(queue.one(
                            Boolean.class,
                            "SELECT wait = interval '3 seconds' AND duration = finished_at - claimed_at"
                                    + " AND duration BETWEEN interval '1 second' AND interval '1 minute'"
                                    + " FROM queue.job_history"))
                    .isTrue();
        }

        @Test
        void countsTheWaitFromThePublishingWhenRunAtIsOlder() {
            queue.claimNew("run_at => now() - interval '1 day'");

            queue.settlements.complete(claimOfRunning(), null);

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT wait = claimed_at - created_at AND wait < interval '1 minute' FROM"
                                    + " queue.job_history"))
                    .isTrue();
        }

        private JobLease claimOfRunning() {
            Map<String, Object> job = queue.row("SELECT id, lease FROM queue.live_job WHERE state = 'RUNNING'");
            return new JobLease((UUID) job.get("id"), (Long) job.get("lease"));
        }

        @Test
        void takesNoResultOfMoreThanEightMebibytes() {
            JobLease fits = queue.claimNew();
            JobLease tooLong = queue.claimNew();
            String most = "\"" + "x".repeat(8_388_606) + "\"";
            String more = "\"" + "x".repeat(8_388_607) + "\"";

            queue.refuses(
                            InvalidJobException.class,
                            () -> queue.settlements.completeAll(
                                    List.of(new Completion(fits, most), new Completion(tooLong, more))))
                    .hasMessageContaining("result of job 2 is '8388609 bytes': must not be longer than 8388608 bytes");
            queue.refuses(InvalidJobException.class, () -> queue.settlements.complete(tooLong, more))
                    .hasMessageContaining("result is '8388609 bytes'");
            queue.refuses(InvalidJobException.class, () -> queue.reports.saveStep(tooLong, "large", more))
                    .hasMessageContaining("result is '8388609 bytes'");
            queue.settlements.complete(fits, most);
            assertThat(queue.history(fits.id())).isNotEmpty();
        }

        @Test
        void keepsNoResultWhenThereIsNone() {
            JobLease one = queue.claimNew();
            queue.settlements.complete(one, null);
            JobLease two = queue.claimNew();
            queue.settlements.completeAll(List.of(new Completion(two, null)));
            JobLease three = queue.claimNew();
            queue.settlements.complete(three, "null");

            assertThat(queue.history(one.id())).containsEntry("result", null);
            assertThat(queue.history(two.id())).containsEntry("result", null);
            assertThat(queue.history(three.id()).get("result")).hasToString("null");
        }

        @Test
        void hasNeitherWaitNorDurationOfAJobThatWasCancelledBeforeItRan() {
            UUID id = queue.publish();
            queue.operations.cancel(id);

            assertThat(queue.history(id))
                    .containsEntry("wait", null)
                    .containsEntry("duration", null)
                    .containsEntry("worker_id", null);
        }

        @Test
        void keepsStepsAndEvents() {
            JobLease lease = queue.claimNew();
            queue.reports.saveStep(lease, "render", "1");
            queue.reports.progress(lease, 10, null);
            queue.settlements.complete(lease, null);

            assertThat(queue.history(lease.id())).containsEntry("steps", 1).containsEntry("events", 1);
            assertThat(leftovers()).isEqualTo(2);
        }
    }

    private static long leftovers() {
        return queue.one(
                Long.class, "SELECT (SELECT count(*) FROM queue.job_step) + (SELECT count(*) FROM queue.job_event)");
    }

    private static JobLease claimWithStepAndEvent() {
        JobLease lease = claimWithStep();
        queue.reports.log(lease, "INFO", "rendered");
        return lease;
    }

    private static JobLease claimWithStep() {
        JobLease lease = queue.claimNew();
        queue.reports.saveStep(lease, "render", "1");
        return lease;
    }

    private static JobLease claimWithEvent() {
        JobLease lease = queue.claimNew();
        queue.reports.log(lease, "INFO", "rendered");
        return lease;
    }

    private static long histories() {
        return queue.one(Long.class, "SELECT count(*) FROM queue.job_history");
    }

    @Nested
    class RetentionOfZero {

        @Test
        void keepsNothingOfACompletedJob() {
            queue.operations.configure(Duration.ZERO, null, null, null);

            queue.settlements.complete(claimWithStepAndEvent(), "1");
            queue.settlements.completeAll(List.of(new Completion(claimWithStepAndEvent(), "1")));

            assertThat(histories()).isZero();
            assertThat(leftovers()).isZero();
        }

        @Test
        void keepsNothingOfJobsWithStepsOrEventsAlone() {
            queue.operations.configure(Duration.ZERO, null, null, null);
            JobLease one = claimWithStep();
            JobLease two = claimWithEvent();

            // of two claims, which goes another way than one
            queue.settlements.completeAll(List.of(new Completion(one, null), new Completion(two, null)));
            queue.settlements.complete(claimWithStep(), null);
            queue.settlements.complete(claimWithEvent(), null);
            cancel(claimWithStep());
            cancel(claimWithEvent());

            assertThat(histories()).isZero();
            assertThat(leftovers()).isZero();
        }

        private static void cancel(JobLease lease) {
            queue.operations.cancel(lease.id());
            queue.settlements.confirmCancel(lease);
        }

        @Test
        void keepsNothingOfACancelledJob() {
            queue.operations.configure(Duration.ZERO, null, null, null);
            cancel(claimWithStepAndEvent());

            assertThat(histories()).isZero();
            assertThat(leftovers()).isZero();
        }

        @Test
        void keepsDeadLettersAllTheSame() {
            queue.operations.configure(Duration.ZERO, null, null, null);
            JobLease lease = claimWithStepAndEvent();
            queue.settlements.failAll(List.of(new SettleCalls.Failure(lease, "oops", false)));

            assertThat(queue.deadLetter(lease.id())).containsEntry("steps", 1).containsEntry("events", 1);
            assertThat(leftovers()).isEqualTo(2);
        }

        @Test
        void mayBeThatOfOneQueueAlone() {
            queue.operations.configureQueue("default", Duration.ZERO, null, null);
            UUID other = queue.publish("queue => 'other'");
            JobLease kept = queue.claims
                    .claim(UUID.randomUUID(), Map.of("other", 1), null)
                    .get(0)
                    .lease();
            JobLease dropped = claimWithStepAndEvent();

            queue.settlements.completeAll(List.of(new Completion(kept, null), new Completion(dropped, null)));

            assertThat(queue.list(UUID.class, "SELECT id FROM queue.job_history"))
                    .containsExactly(other);
            assertThat(leftovers()).isZero();
        }

        @Test
        void mayBeOverruledByOneQueue() {
            queue.operations.configure(Duration.ZERO, null, null, null);
            queue.operations.configureQueue("default", Duration.ofDays(1), null, null);

            queue.settlements.complete(claimWithStepAndEvent(), null);

            assertThat(histories()).isEqualTo(1);
            assertThat(leftovers()).isEqualTo(2);
        }
    }
}
