package dev.jobqueue.autoconfigure.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.JobHandler;
import dev.jobqueue.autoconfigure.MigratedDatabase;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What the meters tell of schedules that real nodes fire. */
class ScheduleMetersIntegrationTests {

    private static final CountDownLatch go = new CountDownLatch(1);

    private final TestDatabase database = MigratedDatabase.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final ApplicationContextRunner application = ObservedApplication.on(database)
            .withBean(MeterRegistry.class, () -> registry)
            .withBean(Handlers.class)
            .withPropertyValues("spring.application.name=shop", "queue.metrics.refresh=100ms");

    private static void eventually(ThrowingRunnable assertion) {
        await().atMost(Duration.ofMinutes(1)).untilAsserted(assertion);
    }

    private double overdue(String schedule) {
        var gauge = registry.find("queue.schedule.overdue")
                .tag("schedule", schedule)
                .gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    private double allOverdue() {
        return registry.get("queue.schedules.overdue").gauge().value();
    }

    private void set(String name, String values) {
        jdbc.sql("UPDATE queue.schedule SET " + values + " WHERE name = ?")
                .param(name)
                .update();
        jdbc.sql("NOTIFY queue, 'schedule'").update();
    }

    @Test
    void countFiresAndHowLateTheyAre() {
        application.withPropertyValues("queue.schedules.quiet.cron=* * * * * *").run(context -> {
            Timer fired = registry.get("queue.schedules.fired").timer();
            eventually(() -> assertThat(fired.count()).isGreaterThan(2));
            assertThat(fired.totalTime(TimeUnit.NANOSECONDS)).isPositive();
            assertThat(overdue("quiet")).isLessThan(30);
        });
    }

    @Test
    void countWhatIsSkippedWhileTheLastRunHasNotEnded() {
        application
                .withPropertyValues("queue.schedules.slow.cron=* * * * * *", "queue.schedules.slow.overlap=skip")
                .run(context -> {
                    try {
                        eventually(() -> {
                            assertThat(registry.get("queue.schedules.skipped")
                                            .counter()
                                            .count())
                                    .isGreaterThan(1);
                            assertThat(overdue("slow")).as("no run since then").isGreaterThan(1);
                        });
                        assertThat(registry.get("queue.schedules.fired").timer().count())
                                .isEqualTo(1);
                    } finally {
                        go.countDown();
                    }
                });
    }

    @Test
    void countWhatIsMissedWhileNoNodeWasUp() {
        application.run(context -> {
            set("quiet", "next_run_at = clock_timestamp() - interval '49 hours', misfire = 'SKIP'");
            eventually(() -> assertThat(
                            registry.get("queue.schedules.missed").counter().count())
                    .isGreaterThanOrEqualTo(2));
            eventually(() -> assertThat(overdue("quiet")).isGreaterThan(48 * 3_600));
        });
    }

    @Test
    void tellHowLongARunHasBeenDue() {
        application.run(context -> {
            eventually(() -> assertThat(overdue("quiet")).isZero());
            set("quiet", "problem = 'nobody can read it', next_run_at = clock_timestamp() - interval '1 hour'");
            eventually(() -> {
                assertThat(overdue("quiet")).isBetween(3_600.0, 7_200.0);
                assertThat(allOverdue()).isEqualTo(1);
            });
            context.getBean(JobSchedules.class).pause("quiet");
            eventually(() -> {
                assertThat(overdue("quiet")).as("paused").isZero();
                assertThat(allOverdue()).isZero();
            });
            set("quiet", "problem = NULL, paused_at = NULL");
            eventually(() -> assertThat(
                            registry.get("queue.schedules.fired").timer().count())
                    .isEqualTo(1));
            eventually(() -> assertThat(overdue("quiet")).isZero());
        });
    }

    @Test
    void doNotGrowWithTheNumberOfSchedulesMadeAtRunTime() {
        application.run(context -> {
            context.getBean(JobSchedules.class)
                    .set(ScheduleDefinition.of("customer 7", "quiet").cron("@yearly"));
            set("customer 7", "problem = 'broken', next_run_at = clock_timestamp() - interval '1 hour'");
            eventually(() -> assertThat(allOverdue()).isEqualTo(1));
            assertThat(overdue("customer 7")).isNaN();
        });
    }

    @Test
    void forgetAScheduleThatIsRetired() {
        application.run(context -> {
            eventually(() -> assertThat(overdue("quiet")).isZero());
            set("quiet", "retired_at = clock_timestamp()");
            eventually(() -> assertThat(overdue("quiet")).isNaN());
        });
    }

    static class Handlers {

        @JobHandler("quiet")
        @JobSchedule(cron = "@daily", misfire = Misfire.ONCE, overlap = Overlap.ALLOW)
        void quiet() {}

        @JobHandler("slow")
        void slow() throws InterruptedException {
            go.await();
        }
    }
}
