package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** How workers hear of what was published. */
class WakeUpIntegrationTests {

    private static final String PUBLISHES_ONLY = "queue.worker.enabled=false";
    private static final String[] DEAF = {"queue.listener.enabled=false", "queue.worker.poll-interval=1h"};

    private final TestDatabase database = MigratedDatabase.create();
    private final JobRows rows = new JobRows(database);
    private Connection listener;

    @BeforeEach
    void listen() throws SQLException {
        listener = database.connect();
        try (Statement statement = listener.createStatement()) {
            statement.execute("LISTEN queue");
        }
    }

    @AfterEach
    void close() throws SQLException {
        listener.close();
    }

    @Test
    void reachesTheWorkerOfTheSameApplicationWithoutNotificationOrPoll() {
        try (Node node = Node.start(database, Handlers.class, DEAF)) {
            rows.await(JobState.COMPLETED, node.publisher().publish("quick", null));
            UUID inTransaction =
                    transactions(node).execute(status -> node.publisher().publish("quick", null));
            rows.await(JobState.COMPLETED, inTransaction);
        }
    }

    @Test
    void isOneNotificationForAllThatATransactionPublished() throws SQLException {
        try (Node node = Node.start(database, Handlers.class, PUBLISHES_ONLY)) {
            transactions(node).executeWithoutResult(status -> {
                for (int i = 0; i < 100; i++) {
                    node.publisher().publish("quick", null);
                }
            });
            assertThat(heardUntilTheEnd())
                    .extracting(PGNotification::getParameter)
                    .containsExactly("default");
        }
    }

    @Test
    void isSentOutsideOfTheTransactionThatPublished() throws SQLException {
        try (Node node = Node.start(database, Handlers.class, PUBLISHES_ONLY)) {
            List<Integer> backends = new ArrayList<>();
            transactions(node).executeWithoutResult(status -> {
                backends.add(backend(node));
                node.publisher().publish("quick", null);
                // after the commit, while this thread still has its connection: nobody else can send by that one
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        backends.add(awaitNotification().getPID());
                    }
                });
            });
            assertThat(backends).hasSize(2).doesNotHaveDuplicates();
        }
    }

    @Test
    void isSentWithinTheTransactionOnRequest() throws Exception {
        try (Node node =
                Node.start(database, Handlers.class, PUBLISHES_ONLY, "queue.publisher.notify-in-transaction=true")) {
            node.bean(JobQueue.class).close();
            int backend = transactions(node).execute(status -> {
                node.publisher().publish("quick", null);
                return backend(node);
            });
            assertThat(awaitNotification().getPID()).isEqualTo(backend);
            node.publisher().publish("quick", null);
            assertThat(awaitNotification().getParameter()).isEqualTo("default");
        }
    }

    private static TransactionTemplate transactions(Node node) {
        return new TransactionTemplate(node.bean(PlatformTransactionManager.class));
    }

    private static int backend(Node node) {
        return node.bean(JdbcClient.class)
                .sql("SELECT pg_backend_pid()")
                .query(Integer.class)
                .single();
    }

    private PGNotification awaitNotification() {
        List<PGNotification> heard = new ArrayList<>();
        await().until(() -> heard.addAll(hear()));
        assertThat(heard).hasSize(1);
        return heard.get(0);
    }

    /** What is heard until a mark that is sent after the first of it; a committed notification is never overtaken. */
    private List<PGNotification> heardUntilTheEnd() throws SQLException {
        List<PGNotification> heard = new ArrayList<>();
        await().until(() -> heard.addAll(hear()));
        rows.jdbc().sql("SELECT pg_notify('queue', 'the end')").query().listOfRows();
        await().until(() -> {
            heard.addAll(hear());
            return heard.removeIf(each -> each.getParameter().equals("the end"));
        });
        return heard;
    }

    private List<PGNotification> hear() throws SQLException {
        return List.of(listener.unwrap(PGConnection.class).getNotifications(100));
    }

    static class Handlers {

        @JobHandler("quick")
        void quick() {}
    }
}
