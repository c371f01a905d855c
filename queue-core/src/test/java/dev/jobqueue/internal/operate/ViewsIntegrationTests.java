package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ViewsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static void publishMany(String name, int count) {
        List<NewJob> jobs = IntStream.range(0, count)
                .mapToObj(i -> NewJobs.with(UUID.randomUUID(), "mail", "{}")
                        .queue(name)
                        .build())
                .toList();
        queue.publications.publish(jobs, false);
    }

    @Nested
    class Stats {

        @Test
        void countEachStateOfEachQueue() {
            queue.settlements.complete(queue.claimNew(), null);
            queue.publishDead("oops");
            queue.claimNew();
            queue.operations.cancel(queue.publish());
            queue.publish("run_at => now() + interval '1 hour'");
            publishMany("default", 2);
            publishMany("other", 3);

            assertThat(queue.list(
                            String.class,
                            "SELECT concat_ws(' ', queue, state, count, last_hour) FROM queue.stats ORDER BY 1"))
                    .containsExactly(
                            "default CANCELLED 1 1",
                            "default COMPLETED 1 1",
                            "default DEAD 1 1",
                            "default PENDING 2",
                            "default RUNNING 1",
                            "default SCHEDULED 1",
                            "other PENDING 3");
        }

        @Test
        void tellTheAgeOfTheOldestAndTheAverageWait() {
            publishMany("default", 2);
            queue.makeOlder("10 minutes", "id = (SELECT min(id::text)::uuid FROM queue.job)");

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT oldest BETWEEN interval '10 minutes' AND interval '11 minutes'"
                                    + " AND average_wait BETWEEN interval '5 minutes' AND interval '6 minutes'"
                                    + " FROM queue.stats"))
                    .isTrue();
        }

        @Test
        void averageWaitAndDurationOfTheLastHour() {
            for (int seconds : List.of(10, 20)) {
                JobLease lease = queue.claimNew();
                queue.claimedEarlierBy(seconds + " seconds");
                queue.execute("UPDATE queue.job SET created_at = claimed_at - interval '4 seconds',"
                        + " run_at = claimed_at - interval '4 seconds' FROM queue.lease");
                queue.settlements.complete(lease, null);
            }

            assertThat(queue.one(
                            Boolean.class,
                            "SELECT average_duration BETWEEN interval '15 seconds' AND interval '45 seconds'"
                                    + " AND average_wait = interval '4 seconds' AND last_hour = 2 FROM queue.stats"))
                    .isTrue();
        }

        @Test
        void leaveOutWhatFinishedBeforeTheLastHour() {
            queue.settlements.complete(queue.claimNew(), null);
            queue.publishDead("oops");
            queue.execute("UPDATE queue.job_history SET finished_at = finished_at - interval '2 hours'");
            queue.execute("UPDATE queue.dead_letter SET died_at = died_at - interval '2 hours'");

            assertThat(queue.list(String.class, "SELECT concat_ws(' ', state, count, last_hour) FROM queue.stats"))
                    .containsExactly("DEAD 1 0");
        }
    }

    @Nested
    class Health {

        private Map<String, Object> health(String name) {
            return queue.row("SELECT * FROM queue.health WHERE queue = ?", name);
        }

        @Test
        void isOkBelowAHundredPending() {
            publishMany("default", 99);

            assertThat(health("default")).containsEntry("status", "OK").containsEntry("pending", 99L);
            assertThat((String) health("default").get("message")).startsWith("99 pending, oldest for ");
        }

        @Test
        void warnsFromAHundredPending() {
            publishMany("default", 100);

            assertThat(health("default")).containsEntry("status", "WARNING");
            assertThat((String) health("default").get("message")).startsWith("100 pending, warning from 100");
        }

        @Test
        void isCriticalFromAThousandPending() {
            publishMany("default", 999);
            assertThat(health("default")).containsEntry("status", "WARNING");
            publishMany("default", 1);

            assertThat(health("default")).containsEntry("status", "CRITICAL");
            assertThat((String) health("default").get("message")).startsWith("1000 pending, critical from 1000");
        }

        @Test
        void obeysTheThresholdsOfTheQueueThenThoseOfTheSettings() {
            queue.operations.configure(null, null, 2, 4);
            queue.operations.configureQueue("own", null, 1, 3);
            publishMany("default", 3);
            publishMany("own", 3);

            assertThat(health("default")).containsEntry("status", "WARNING");
            assertThat(health("own")).containsEntry("status", "CRITICAL");
            queue.operations.configureQueue("own", null, null, 10);
            assertThat(health("own")).containsEntry("status", "WARNING");
        }

        @Test
        void countsPendingJobsOnly() {
            queue.operations.configure(null, null, 1, 1);
            queue.claimNew();
            queue.publish("run_at => now() + interval '1 hour'");
            queue.operations.configureQueue("default", Duration.ofDays(1), null, null);

            assertThat(health("default")).containsEntry("status", "OK").containsEntry("pending", 0L);
        }

        @Test
        void saysThatAQueueIsPaused() {
            queue.operations.pause("default");

            assertThat((String) health("default").get("message")).contains("0 pending, paused since ");
        }
    }
}
