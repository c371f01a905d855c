package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.ScheduleDefinition;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A schedule that cannot be fails the start, and says what to change. */
class ScheduleFailureIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    private final ApplicationContextRunner application = QueueApplication.on(database);

    private static void assertRefused(ApplicationContextRunner application, String description, String action) {
        application.run(context -> {
            assertThat(context).hasFailed();
            FailureAnalysis analysis = new QueueFailureAnalyzer().analyze(context.getStartupFailure());
            assertThat(analysis).isNotNull();
            assertThat(analysis.getDescription()).startsWith("The ").contains(description);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    @Test
    void namesTheFieldOfAnAnnotation() {
        assertRefused(application.withBean(BadMinute.class), "the minute '61' is wrong", "BadMinute.run()");
    }

    @Test
    void namesTheFieldOfAProperty() {
        assertRefused(
                application.withPropertyValues("queue.schedules.nightly.cron=0 3 * * BOX"),
                "the day of week 'BOX' is wrong",
                "queue.schedules.nightly");
    }

    @Test
    void refusesAPropertyWithBothExpressionAndInterval() {
        assertRefused(
                application.withPropertyValues(
                        "queue.schedules.nightly.cron=@daily", "queue.schedules.nightly.every=1h"),
                "either cron or every",
                "queue.schedules.nightly");
    }

    @Test
    void refusesAZoneThatIsNone() {
        assertRefused(
                application.withPropertyValues(
                        "queue.schedules.nightly.cron=@daily", "queue.schedules.nightly.zone=Berlin"),
                "zone is 'Berlin'",
                "queue.schedules.nightly");
    }

    @Test
    void refusesAnIntervalThatIsNone() {
        assertRefused(application.withBean(BadInterval.class), "'soon'", "BadInterval.run()");
    }

    @Test
    void refusesAMethodThatIsNoHandler() {
        assertRefused(application.withBean(NoHandler.class), "annotate it with @JobHandler too", "NoHandler.run()");
    }

    @Test
    void refusesAPayloadThatItsHandlerCannotRead() {
        assertRefused(application.withBean(NeedsPayload.class), "cannot be read as", "queue.schedules.<name>.payload");
    }

    @Test
    void refusesTwoOfOneName() {
        assertRefused(
                application
                        .withBean(
                                "one",
                                ScheduleDefinition.class,
                                () -> ScheduleDefinition.of("same", "a").cron("@daily"))
                        .withBean(
                                "other",
                                ScheduleDefinition.class,
                                () -> ScheduleDefinition.of("same", "b").cron("@daily")),
                "has the name 'same' already",
                "bean 'other'");
    }

    static class BadMinute {

        @JobHandler("run")
        @JobSchedule(cron = "61 * * * *")
        void run() {}
    }

    static class BadInterval {

        @JobHandler("run")
        @JobSchedule(every = "soon")
        void run() {}
    }

    static class NoHandler {

        @JobSchedule(cron = "@daily")
        void run() {}
    }

    record Amount(int cents) {}

    static class NeedsPayload {

        @JobHandler("run")
        @JobSchedule(cron = "@daily")
        void run(Amount amount) {}
    }
}
