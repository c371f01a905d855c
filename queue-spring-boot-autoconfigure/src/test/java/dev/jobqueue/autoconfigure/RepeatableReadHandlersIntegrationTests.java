package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Transactional handlers whose transactions do not see what others commit meanwhile. */
class RepeatableReadHandlersIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;

    @BeforeAll
    static void start() {
        node = Node.start(
                database, Handlers.class, "spring.datasource.hikari.transaction-isolation=TRANSACTION_REPEATABLE_READ");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void completeAfterTheyReportedProgress() {
        UUID id = node.publisher().publish("reporting", null);

        assertThat(rows.result(id)).isEqualTo("\"done\"");
        assertThat(rows.attempt(id)).isOne();
        assertThat(rows.jdbc()
                        .sql("SELECT percent FROM queue.job_event WHERE job_id = ?")
                        .param(id)
                        .query(Integer.class)
                        .list())
                .containsExactly(50);
    }

    @Test
    void areToldWhyTheyGetNoMoreTime() {
        UUID id = node.publisher().publish("extending", null);

        rows.await(JobState.DEAD, id);
        assertThat(rows.errors(id)).singleElement().asString().contains("READ COMMITTED", "longer timeout");
    }

    static class Handlers {

        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler(value = "reporting", transactional = true, maxAttempts = 2)
        String report(JobContext job) {
            jdbc.sql("SELECT 1").query(Integer.class).single();
            job.progress(50, null);
            try {
                Patience.await()
                        .atMost(Duration.ofMillis(500))
                        .until(() ->
                                rows.live(job.id(), "percent", Integer.class).isPresent());
            } catch (ConditionTimeoutException ex) {
                // nobody else changed the row of the job, which this transaction is about to delete
            }
            return "done";
        }

        @JobHandler(value = "extending", transactional = true, maxAttempts = 1)
        void extend(JobContext job) {
            job.extend(Duration.ofMinutes(5));
        }
    }
}
