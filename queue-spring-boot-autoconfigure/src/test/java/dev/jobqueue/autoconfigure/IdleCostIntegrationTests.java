package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DelegatingDataSource;

class IdleCostIntegrationTests {

    private static final int SECONDS = 6;

    private final TestDatabase database = TestDatabase.create();
    private final JobRows rows = new JobRows(database);

    @Test
    void isAtMostOneStatementPerSecondForManyQueues() {
        try (Node node = Node.start(
                database,
                Handlers.class,
                "queue.queues.a.slots=1",
                "queue.queues.b.slots=2",
                "queue.queues.c.slots=3")) {
            rows.await(JobState.COMPLETED, node.publisher().publish("only", null));
            await().until(node::isListening);
            // the wake-up of the only job comes back as a notification
            await().pollDelay(Duration.ofSeconds(1)).until(() -> true);
            int before = node.bean(Counter.class).connections.get();
            await().pollDelay(Duration.ofSeconds(SECONDS)).until(() -> true);
            assertThat(node.bean(Counter.class).connections.get() - before)
                    .as("each takes a connection for one statement")
                    .isBetween(1, SECONDS + 3);
        }
    }

    /** Counts how often a connection is taken from the pool. */
    static class Counter implements BeanPostProcessor {

        final AtomicInteger connections = new AtomicInteger();

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            return bean instanceof DataSource dataSource ? new Counted(dataSource) : bean;
        }

        private final class Counted extends DelegatingDataSource {

            Counted(DataSource target) {
                super(target);
            }

            @Override
            public Connection getConnection() throws SQLException {
                connections.incrementAndGet();
                return super.getConnection();
            }
        }
    }

    @Import(Counter.class)
    static class Handlers {
        @JobHandler("only")
        void handle() {}
    }
}
