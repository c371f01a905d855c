package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** A transactional handler that begins another transaction by hand, and does not end it. */
class OpenTransactionsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;

    @BeforeAll
    static void start() {
        rows.jdbc().sql("CREATE TABLE written (what text)").update();
        node = Node.start(database, Handlers.class, "queue.worker.slots=1");
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void rollsBackBothAndGoesOn() {
        UUID id = node.publisher().publish("opens", null);
        rows.await(JobState.DEAD, id);
        assertThat(rows.errors(id)).singleElement().asString().contains("left a transaction open on its thread");
        rows.await(JobState.COMPLETED, node.publisher().publish("writes", null));
        assertThat(rows.jdbc()
                        .sql("SELECT what FROM written")
                        .query(String.class)
                        .list())
                .containsExactly("by the next job");
    }

    static class Handlers {

        private final JdbcClient jdbc;
        private final PlatformTransactionManager transactions;

        Handlers(JdbcClient jdbc, PlatformTransactionManager transactions) {
            this.jdbc = jdbc;
            this.transactions = transactions;
        }

        @JobHandler(value = "opens", transactional = true, maxAttempts = 1)
        void open() {
            write("by the handler's transaction");
            transactions.getTransaction(
                    new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
            write("by the one that it left open");
        }

        @JobHandler(value = "writes", transactional = true)
        void handle() {
            write("by the next job");
        }

        private void write(String what) {
            jdbc.sql("INSERT INTO written VALUES (?)").param(what).update();
        }
    }
}
