package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobType;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The queue that {@link JobType} names. */
class TypeQueueIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    private final ApplicationContextRunner application = QueueApplication.on(database);

    @Test
    void isKnownOnNodesWithoutTheHandler() {
        application.withPropertyValues("queue.worker.enabled=false").run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            assertThat(rows.queue(jobs.publish(new Parcel(1)))).isEqualTo("parcels");
            assertThat(rows.queue(jobs.publish("parcel.send", new Parcel(2)))).isEqualTo("parcels");
            assertThat(rows.queue(jobs.publish(Job.of(new Parcel(3)).queue("urgent"))))
                    .isEqualTo("urgent");
            assertThat(rows.queue(jobs.publish("another.type", new Parcel(4)))).isEqualTo("default");

            JobSchedules schedules = context.getBean(JobSchedules.class);
            schedules.set(ScheduleDefinition.of("parcels", "parcel.send")
                    .payload(new Parcel(5))
                    .every(Duration.ofDays(1)));
            assertThat(rows.queue(schedules.runNow("parcels"))).isEqualTo("parcels");
        });
    }

    @Test
    void isWorkedByNodesWithTheHandler() {
        application
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("parcel.send", Parcel.class, (parcel, job) -> job.queue()))
                .run(context -> {
                    UUID id = context.getBean(JobPublisher.class).publish(new Parcel(1));
                    assertThat(rows.result(id)).isEqualTo("\"parcels\"");
                });
    }

    @JobType(value = "parcel.send", queue = "parcels")
    record Parcel(int number) {}
}
