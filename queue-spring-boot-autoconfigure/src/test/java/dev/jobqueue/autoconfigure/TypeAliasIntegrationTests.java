package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.JobType;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TypeAliasIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
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
                                    .sql(
                                            "SELECT DISTINCT f.max_attempts FROM queue.job_history h, queue.find_job(h.id) f")
                                    .query(Integer.class)
                                    .list())
                            .as("what the property says of the type")
                            .isEqualTo(List.of(7));
                });
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

    static class Handlers {

        @JobHandler(value = "invoice.send", aliases = "mailInvoice")
        Map<String, Long> send(Invoice invoice) {
            return Map.of("order", invoice.order());
        }
    }
}
