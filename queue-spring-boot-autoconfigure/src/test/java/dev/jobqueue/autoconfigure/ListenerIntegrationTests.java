package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class ListenerIntegrationTests {

    /** Polls so rarely that only a wake-up explains a job that is handled. */
    private static final String NO_POLL = "queue.worker.poll-interval=1h";

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);

    private static int listeners() {
        return rows.jdbc()
                .sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname ="
                        + " current_database()")
                .query(Integer.class)
                .single();
    }

    @Test
    void wakesForJobsOfOtherNodesAndOfSql() {
        try (Node worker = Node.start(database, Handlers.class, NO_POLL);
                Node publisher = Node.start(database, Nothing.class, "queue.worker.enabled=false")) {
            await().until(worker::isListening);
            rows.await(JobState.COMPLETED, publisher.publisher().publish("heard", null));
            UUID inTransaction = new TransactionTemplate(publisher.bean(PlatformTransactionManager.class))
                    .execute(status -> publisher.publisher().publish("heard", null));
            rows.await(JobState.COMPLETED, inTransaction);
            UUID bySql = rows.jdbc()
                    .sql("SELECT queue.publish('heard', '{}')")
                    .query(UUID.class)
                    .single();
            rows.await(JobState.COMPLETED, bySql);
            UUID delayed = publisher.publisher().publish(Job.of("heard", null).delay(Duration.ofMillis(100)));
            rows.await(JobState.COMPLETED, delayed);
        }
    }

    @Test
    void wakesForJobsNotifiedInTheTransaction() {
        try (Node worker = Node.start(database, Handlers.class, NO_POLL);
                Node publisher = Node.start(
                        database,
                        Nothing.class,
                        "queue.worker.enabled=false",
                        "queue.publisher.notify-in-transaction=true")) {
            await().until(worker::isListening);
            rows.await(JobState.COMPLETED, publisher.publisher().publish("heard", null));
        }
    }

    @Test
    void connectsAgainAfterItsBackendWasTerminated() {
        try (Node worker = Node.start(database, Handlers.class, NO_POLL);
                Node publisher = Node.start(database, Nothing.class, "queue.worker.enabled=false")) {
            await().until(worker::isListening);
            for (int i = 0; i < 3; i++) {
                await().until(() -> listeners() == 1);
                rows.jdbc()
                        .sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                                + " WHERE query LIKE 'LISTEN%' AND datname = current_database()")
                        .query(Boolean.class)
                        .list();
                UUID missed = publisher.publisher().publish("heard", null);
                rows.await(JobState.COMPLETED, missed);
                await().until(() -> worker.isListening() && listeners() == 1);
                rows.await(JobState.COMPLETED, publisher.publisher().publish("heard", null));
            }
        }
        await().untilAsserted(() -> assertThat(listeners()).as("after the stop").isZero());
    }

    @Test
    void keepsAConnectionOutsideOfThePool() throws SQLException {
        try (Node worker = Node.start(database, Handlers.class, "spring.datasource.hikari.maximum-pool-size=3")) {
            await().until(worker::isListening);
            List<Integer> pooled = new ArrayList<>();
            try (Connection one = worker.bean(DataSource.class).getConnection();
                    Connection two = worker.bean(DataSource.class).getConnection();
                    Connection three = worker.bean(DataSource.class).getConnection()) {
                for (Connection each : List.of(one, two, three)) {
                    pooled.add(each.unwrap(PGConnection.class).getBackendPID());
                }
            }
            assertThat(pooled).doesNotHaveDuplicates().doesNotContain(listenerPid());
        }
    }

    @Test
    void survivesNotificationsThatMeanNothing() {
        try (Node worker = Node.start(database, Handlers.class, NO_POLL)) {
            await().until(worker::isListening);
            int pid = listenerPid();
            rows.jdbc()
                    .sql("SELECT pg_notify('queue', 'cancel:nonsense'), pg_notify('queue', 'no such queue')")
                    .query()
                    .listOfRows();
            UUID bySql = rows.jdbc()
                    .sql("SELECT queue.publish('heard', '{}')")
                    .query(UUID.class)
                    .single();
            rows.await(JobState.COMPLETED, bySql);
            assertThat(listenerPid()).isEqualTo(pid);
        }
    }

    @Test
    void canBeLeftOut() {
        try (Node worker = Node.start(
                        database, Handlers.class, "queue.listener.enabled=false", "queue.worker.poll-interval=1s");
                Node publisher = Node.start(database, Nothing.class, "queue.worker.enabled=false")) {
            assertThat(worker.isListening()).isFalse();
            rows.await(JobState.COMPLETED, publisher.publisher().publish("heard", null));
            await().until(() -> listeners() == 0);
        }
    }

    @Test
    void isNotNeededForRetriesAndSnoozesOfThisNode() {
        try (Node worker = Node.start(database, Handlers.class, "queue.listener.enabled=false", NO_POLL)) {
            rows.await(JobState.COMPLETED, worker.publisher().publish("heard", null));
            UUID retried = worker.publisher().publish("third.time", null);
            UUID delayed = worker.publisher().publish(Job.of("heard", null).delay(Duration.ofMillis(300)));
            rows.await(JobState.COMPLETED, retried, delayed);
        }
    }

    private static int listenerPid() {
        return rows.jdbc()
                .sql("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
                .query(Integer.class)
                .single();
    }

    static class Nothing {}

    static class Handlers {

        @JobHandler("heard")
        void hear() {}

        @JobHandler(value = "third.time", backoff = "100ms")
        void third(JobContext job) {
            if (job.attempt() < 3) {
                throw new IllegalStateException("not yet");
            }
        }
    }
}
