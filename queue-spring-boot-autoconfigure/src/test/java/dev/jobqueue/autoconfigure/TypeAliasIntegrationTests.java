package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.JobType;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.JobSchedules;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class TypeAliasIntegrationTests {

    private final TestDatabase database = MigratedDatabase.create();
    private final JobRows rows = new JobRows(database);

    @Test
    void letsJobsStoredUnderAFormerNameFindTheirHandler() {
        QueueApplication.on(database)
                .withBean(Handlers.class)
                .withPropertyValues("queue.retry[invoice.send].max-attempts=7")
                .run(context -> {
                    UUID ofThePayload = publish("sendInvoice");
                    UUID ofTheHandler = publish("mailInvoice");

                    rows.await(JobState.COMPLETED, ofThePayload, ofTheHandler);
                    assertThat(rows.jdbc()
                                    .sql("SELECT DISTINCT f.max_attempts FROM queue.job_history h,"
                                            + " queue.find_job(h.id) f")
                                    .query(Integer.class)
                                    .list())
                            .as("what the property says of the type")
                            .isEqualTo(List.of(7));
                });
    }

    @Test
    void isTakenFromThePayloadWhereTheHandlerNamesNone() {
        QueueApplication.on(database).withBean(Unnamed.class).run(context -> {
            UUID published = context.getBean(JobPublisher.class).publish(new Invoice(1));
            UUID scheduled = context.getBean(JobSchedules.class).runNow("tidy");

            rows.await(JobState.COMPLETED, publish("sendInvoice"), published, scheduled);
        });
    }

    @Test
    void isToldOfWhereHandlerAndPayloadDiffer(CapturedOutput output) {
        QueueApplication.on(database)
                .withBean(Misspelt.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains(
                        "Misspelt.send",
                        "takes jobs of type 'invoice.sent', but its payload is published as 'invoice.send' (@JobType)");
    }

    @Test
    void mayBeOneOfSeveralThatTakeAPayload(CapturedOutput output) {
        QueueApplication.on(database)
                .withBean(Unnamed.class)
                .withBean(Misspelt.class)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).doesNotContain("but its payload is published as");
    }

    private UUID publish(String type) {
        return rows.jdbc()
                .sql("SELECT queue.publish(?, '{\"order\": 1}'::jsonb)")
                .param(type)
                .query(UUID.class)
                .single();
    }

    @JobType(value = "invoice.send", aliases = "sendInvoice")
    record Invoice(long order) {}

    @JobType("tidy")
    record Tidy() {}

    static class Unnamed {

        @JobHandler
        void send(Invoice invoice) {}

        @JobHandler
        @JobSchedule(cron = "0 3 1 1 *")
        void tidy(Tidy tidy) {}
    }

    static class Misspelt {

        @JobHandler("invoice.sent")
        void send(Invoice invoice) {}
    }

    static class Handlers {

        @JobHandler(value = "invoice.send", aliases = "mailInvoice")
        Map<String, Long> send(Invoice invoice) {
            return Map.of("order", invoice.order());
        }
    }
}
