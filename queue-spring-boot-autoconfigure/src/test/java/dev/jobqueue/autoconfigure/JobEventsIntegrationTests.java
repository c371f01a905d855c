package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.JobType;
import dev.jobqueue.postgres.TestDatabase;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class JobEventsIntegrationTests {

    private final TestDatabase database = TestDatabase.create();
    private final JobRows rows = new JobRows(database);
    private final ApplicationContextRunner application =
            QueueApplication.on(database).withBean(Handlers.class);

    @Test
    void publishJobsInTheTransactionOfWhoeverPublishesTheEvent() {
        application.withPropertyValues("queue.publisher.events=true").run(context -> {
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            transactions.executeWithoutResult(status -> {
                context.publishEvent(new OrderPlaced(1));
                status.setRollbackOnly();
            });
            transactions.executeWithoutResult(status -> context.publishEvent(new OrderPlaced(2)));
            context.publishEvent(new Unrelated());

            rows.awaitCount(JobState.COMPLETED, "order.placed", 1);
            assertThat(rows.jdbc()
                            .sql("SELECT payload ->> 'order' FROM queue.job_history")
                            .query(String.class)
                            .list())
                    .containsExactly("2");
        });
    }

    @Test
    void publishNothingUnlessToldTo() {
        application.run(context -> {
            context.publishEvent(new OrderPlaced(1));

            assertThat(rows.count(JobState.PENDING, "order.placed")).isZero();
            assertThat(rows.count(JobState.COMPLETED, "order.placed")).isZero();
        });
    }

    @JobType("order.placed")
    record OrderPlaced(long order) {}

    record Unrelated() {}

    static class Handlers {

        @JobHandler("order.placed")
        void handle(OrderPlaced event) {}
    }
}
