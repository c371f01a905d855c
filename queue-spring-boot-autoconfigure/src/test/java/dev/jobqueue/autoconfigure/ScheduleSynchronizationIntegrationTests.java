package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.JobSchedule.Misfire;
import dev.jobqueue.schedule.JobSchedule.Overlap;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.schedule.Schedule.Origin;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** What code and properties define is what the database holds after a start. */
@ExtendWith(OutputCaptureExtension.class)
class ScheduleSynchronizationIntegrationTests {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final ApplicationContextRunner shop = QueueApplication.on(TestDatabase.create())
            .withPropertyValues("spring.application.name=shop")
            .withBean(Reports.class);

    private static void start(ApplicationContextRunner application, Consumer<JobSchedules> check) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            check.accept(context.getBean(JobSchedules.class));
        });
    }

    @Test
    void setsWhatAnnotationsBeansAndPropertiesDefine() {
        ApplicationContextRunner application = shop.withBean(
                        ScheduleDefinition.class,
                        () -> ScheduleDefinition.of("weekly", "report")
                                .cron("@weekly")
                                .payload(Map.of("week", true)))
                .withPropertyValues(
                        "report.cron=0 4 * * *",
                        "queue.schedules.yearly.type=report",
                        "queue.schedules.yearly.cron=@yearly",
                        "queue.schedules.yearly.zone=Asia/Tokyo",
                        "queue.schedules.yearly.payload.year=2026",
                        "queue.schedules.yearly.queue=slow",
                        "queue.schedules.yearly.priority=7",
                        "queue.schedules.yearly.misfire=all",
                        "queue.schedules.yearly.overlap=skip");
        start(application, schedules -> {
            Schedule code = schedules.find("report").orElseThrow();
            assertThat(code.cron()).isEqualTo("0 4 * * *");
            assertThat(code.zone()).isEqualTo("Europe/Berlin");
            assertThat(code.queue()).isEqualTo("reports");
            assertThat(code.origin()).isEqualTo(Origin.CODE);
            assertThat(code.owner()).isEqualTo("shop");
            assertThat(schedules.find("weekly").orElseThrow().payload()).isEqualTo("{\"week\": true}");
            Schedule config = schedules.find("yearly").orElseThrow();
            assertThat(config.origin()).isEqualTo(Origin.CONFIG);
            assertThat(config.payload()).contains("2026");
            assertThat(config.queue()).isEqualTo("slow");
            assertThat(config.priority()).isEqualTo(7);
            assertThat(config.misfire()).isEqualTo(Misfire.ALL);
            assertThat(config.overlap()).isEqualTo(Overlap.SKIP);
        });
    }

    @Test
    void letsPropertiesOverrideTheCode(CapturedOutput output) {
        start(shop.withPropertyValues("queue.schedules.report.every=2h"), schedules -> {
            Schedule report = schedules.find("report").orElseThrow();
            assertThat(report.every()).isEqualTo(Duration.ofHours(2));
            assertThat(report.cron()).isNull();
            assertThat(report.type()).isEqualTo("report");
        });
        start(
                shop.withPropertyValues("queue.schedules.report.cron=-"),
                schedules -> assertThat(schedules.find("report").orElseThrow().retired())
                        .isTrue());
        assertThat(output)
                .contains("Schedule 'report' is turned off by cron '-'")
                .doesNotContain("any more: retired");
    }

    @Test
    void leavesPausedWhatAnOperatorPaused() {
        start(shop, schedules -> schedules.pause("report"));
        start(
                shop,
                schedules -> assertThat(schedules.find("report").orElseThrow().paused())
                        .isTrue());
        start(shop.withPropertyValues("report.cron=0 5 * * *"), schedules -> {
            Schedule changed = schedules.find("report").orElseThrow();
            assertThat(changed.cron()).isEqualTo("0 5 * * *");
            assertThat(changed.paused()).isTrue();
        });
    }

    @Test
    void keepsTheNextRunAcrossRestarts() {
        Instant[] due = new Instant[1];
        ApplicationContextRunner hourly = shop.withPropertyValues("queue.schedules.report.every=1h");
        start(hourly, schedules -> due[0] = nextRun(schedules, "report"));
        start(hourly, schedules -> assertThat(nextRun(schedules, "report")).isEqualTo(due[0]));
    }

    @Test
    void givesUpWhereAScheduleThatItChangesStaysLocked() throws SQLException {
        TestDatabase database = TestDatabase.create();
        ApplicationContextRunner application = QueueApplication.on(database)
                .withPropertyValues("spring.application.name=shop")
                .withBean(Reports.class);
        start(application, schedules -> {});
        try (Connection other = database.connect();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("SELECT FROM queue.schedule FOR UPDATE");
            start(application, schedules -> {});
            for (String change : List.of("queue.schedules.report.cron=-", "queue.schedules.report.every=2h")) {
                application.withPropertyValues(change).run(context -> {
                    FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
                    assertThat(analysis).isNotNull();
                    assertThat(analysis.getDescription()).contains("A schedule", "is locked");
                    assertThat(analysis.getAction()).contains("End the transaction");
                });
            }
        }
    }

    private static Instant nextRun(JobSchedules schedules, String name) {
        await().atMost(PATIENCE).until(() -> schedules.find(name).orElseThrow().nextRunAt() != null);
        return schedules.find(name).orElseThrow().nextRunAt();
    }

    @Test
    void retiresAndReportsWhatVanishedAndTakesItBack(CapturedOutput output) {
        ApplicationContextRunner more =
                shop.withPropertyValues("queue.schedules.cleanup.cron=@daily", "queue.schedules.cleanup.type=report");
        start(
                more,
                schedules -> schedules.set(
                        ScheduleDefinition.of("of-a-customer", "report").cron("@daily")));
        start(shop, schedules -> {
            assertThat(schedules.find("cleanup").orElseThrow().retired()).isTrue();
            assertThat(schedules.find("report").orElseThrow().retired()).isFalse();
            assertThat(schedules.find("of-a-customer").orElseThrow().retired()).isFalse();
        });
        assertThat(output).contains("Schedule 'cleanup' is not defined in 'shop' any more");
        start(
                more,
                schedules -> assertThat(schedules.find("cleanup").orElseThrow().retired())
                        .isFalse());
    }

    @Test
    void doesNotRetireWhatAnotherApplicationDefines() {
        start(shop, schedules -> {});
        start(
                shop.withPropertyValues("spring.application.name=warehouse", "queue.schedules.report.cron=-"),
                schedules -> assertThat(schedules.find("report").orElseThrow().retired())
                        .isFalse());
    }

    @Test
    void reportsThatAnotherApplicationHasASchedulesName(CapturedOutput output) {
        start(shop, schedules -> {});
        start(shop, schedules -> {});
        assertThat(output).doesNotContain("was set by the application");
        start(
                shop.withPropertyValues("spring.application.name=warehouse"),
                schedules -> assertThat(schedules.find("report").orElseThrow().owner())
                        .isEqualTo("warehouse"));
        assertThat(output)
                .contains(
                        "Schedule 'report' was set by the application 'shop' and is now set and fired by 'warehouse'");
    }

    static class Reports {

        @JobHandler(value = "report", queue = "reports")
        @JobSchedule(cron = "${report.cron:0 3 * * *}", zone = "Europe/Berlin")
        void build(Map<String, Object> payload) {}
    }
}
