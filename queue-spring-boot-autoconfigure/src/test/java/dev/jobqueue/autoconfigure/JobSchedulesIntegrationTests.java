package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Schedules that are set and changed while nodes run. */
class JobSchedulesIntegrationTests {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final ScheduleDefinition EVERY_SECOND =
            ScheduleDefinition.of("customer", "note").cron("* * * * * *").payload(Map.of("text", "first"));

    private static final TestDatabase database = TestDatabase.create();

    private final ApplicationContextRunner application =
            QueueApplication.on(database).withBean(Notes.class);

    /** The first test finds no tables yet. */
    @BeforeEach
    void clear() {
        JdbcClient.create(database.dataSource())
                .sql("DO $$ BEGIN IF to_regclass('queue.schedule') IS NOT NULL THEN"
                        + " TRUNCATE queue.schedule, queue.job; END IF; END $$")
                .update();
    }

    private static List<Note> notes(AssertableApplicationContext context) {
        return context.getBean(Notes.class).all();
    }

    private static void awaitNote(AssertableApplicationContext context, String text) {
        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(notes(context)).extracting(Note::text).contains(text));
    }

    @Test
    void takesEffectAtOnceAndTellsTheHandlerOfScheduleAndTime() {
        application.run(context -> {
            context.getBean(JobSchedules.class).set(EVERY_SECOND);
            awaitNote(context, "first");
            Note note = notes(context).get(0);
            assertThat(note.schedule()).isEqualTo("customer");
            assertThat(note.time()).isEqualTo(note.time().truncatedTo(ChronoUnit.SECONDS));
        });
    }

    @Test
    void changesThePayloadWhileRunning() {
        application.run(context -> {
            JobSchedules schedules = context.getBean(JobSchedules.class);
            schedules.set(EVERY_SECOND);
            awaitNote(context, "first");
            assertThat(schedules.set(EVERY_SECOND.payload(Map.of("text", "second"))))
                    .isTrue();
            Instant change = schedules.find("customer").orElseThrow().lastRunAt();
            awaitNote(context, "second");
            assertThat(notes(context))
                    .filteredOn(note -> note.time().isAfter(change))
                    .extracting(Note::text)
                    .containsOnly("second");
        });
    }

    @Test
    void changesExpressionAndZoneWhileRunning() {
        application.run(context -> {
            JobSchedules schedules = context.getBean(JobSchedules.class);
            schedules.set(EVERY_SECOND);
            awaitNote(context, "first");
            schedules.set(EVERY_SECOND.cron("0 3 * * *"));
            assertThat(nextRun(schedules, "UTC")).isEqualTo(LocalTime.of(3, 0));
            schedules.set(EVERY_SECOND.cron("0 3 * * *").zone("Asia/Tokyo"));
            assertThat(nextRun(schedules, "Asia/Tokyo")).isEqualTo(LocalTime.of(3, 0));
            schedules.set(EVERY_SECOND.payload(Map.of("text", "again")));
            awaitNote(context, "again");
        });
    }

    private static LocalTime nextRun(JobSchedules schedules, String zone) {
        await().atMost(PATIENCE)
                .until(() -> schedules.find("customer").orElseThrow().nextRunAt() != null);
        Schedule schedule = schedules.find("customer").orElseThrow();
        return schedule.nextRunAt().atZone(ZoneId.of(zone)).toLocalTime();
    }

    @Test
    void pausesResumesRunsAndDeletes() {
        application.run(context -> {
            JobSchedules schedules = context.getBean(JobSchedules.class);
            schedules.set(EVERY_SECOND.cron("@yearly"));
            schedules.pause("customer");
            UUID id = schedules.runNow("customer");
            awaitNote(context, "first");
            assertThat(schedules.find("customer").orElseThrow().lastJobId()).isEqualTo(id);
            schedules.resume("customer");
            assertThat(schedules.list()).extracting(Schedule::paused).containsExactly(false);
            assertThat(schedules.delete("customer")).isTrue();
            assertThat(schedules.find("customer")).isEmpty();
            assertThatExceptionOfType(JobNotFoundException.class).isThrownBy(() -> schedules.pause("customer"));
        });
    }

    @Test
    void runsAtOnceOnANodeThatHearsNoNotifications() {
        application
                .withPropertyValues("queue.listener.enabled=false", "queue.worker.poll-interval=1h")
                .run(context -> {
                    JobSchedules schedules = context.getBean(JobSchedules.class);
                    context.getBean(JobPublisher.class).publish("note", Map.of("text", "the poll at start is over"));
                    awaitNote(context, "the poll at start is over");
                    schedules.set(EVERY_SECOND.cron("@yearly"));
                    schedules.runNow("customer");
                    awaitNote(context, "first");
                });
    }

    @Test
    void takesPartInTheCallersTransaction() {
        application.run(context -> {
            JobSchedules schedules = context.getBean(JobSchedules.class);
            TransactionTemplate transaction =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transaction.executeWithoutResult(status -> {
                schedules.set(EVERY_SECOND);
                status.setRollbackOnly();
            });
            assertThat(schedules.list()).isEmpty();
            transaction.executeWithoutResult(status -> schedules.set(EVERY_SECOND));
            awaitNote(context, "first");
        });
    }

    @Test
    void refusesWhatIsWrongAndNamesTheField() {
        application.run(context -> {
            JobSchedules schedules = context.getBean(JobSchedules.class);
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> schedules.set(EVERY_SECOND.cron("0 25 * * *")))
                    .withMessageContaining("hour '25'");
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> schedules.set(EVERY_SECOND.zone("Nowhere")))
                    .withMessageContaining("zone is 'Nowhere'");
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> schedules.set(EVERY_SECOND.timeout(ChronoUnit.FOREVER.getDuration())))
                    .withMessageContaining("timeout");
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> schedules.set(EVERY_SECOND.every(Duration.ofMillis(1))))
                    .withMessageContaining("every is 'PT0.001S'");
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> schedules.set(ScheduleDefinition.of("customer", "note")))
                    .withMessageContaining("either cron or every");
            assertThat(schedules.list()).isEmpty();
        });
    }

    @Test
    void isThereOnANodeThatOnlyPublishes() {
        application.withPropertyValues("queue.worker.enabled=false").run(context -> {
            assertThat(context).hasNotFailed();
            context.getBean(JobSchedules.class).set(EVERY_SECOND);
            assertThat(context.getBean(JobSchedules.class).list()).hasSize(1);
        });
    }

    record Payload(String text) {}

    record Note(String text, String schedule, Instant time) {}

    static class Notes {

        private final List<Note> all = new CopyOnWriteArrayList<>();

        @JobHandler("note")
        void take(Payload payload, JobContext job) {
            all.add(new Note(payload.text(), job.scheduleName(), job.scheduledFor()));
        }

        List<Note> all() {
            return all;
        }
    }
}
