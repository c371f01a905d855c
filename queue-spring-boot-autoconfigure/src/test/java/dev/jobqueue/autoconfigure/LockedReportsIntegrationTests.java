package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Transactional handlers that report while a stranger holds the row of one of their jobs. */
class LockedReportsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final Duration HOUR = Duration.ofHours(1);
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static Handlers handlers;

    @BeforeAll
    static void start() {
        node = Node.start(database, Handlers.class);
        handlers = node.bean(Handlers.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void holdBackNeitherReportsOfOtherJobsNorTheirSlotForLong() throws Exception {
        UUID held = node.publisher().publish(Job.of("held", null).maxAttempts(1));
        UUID other = node.publisher().publish(Job.of("other", null).maxAttempts(1));
        await().until(() -> handlers.waiting.availablePermits() == 2);
        try (Connection stranger = database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("SELECT queue.cancel('%s')".formatted(held));
            handlers.go.release();
            await().until(() -> handlers.reported.availablePermits() == 1);

            handlers.goOther.release();
            rows.await(JobState.COMPLETED, other);
            await().until(() -> handlers.rolledBack.availablePermits() == 1);
            stranger.rollback();
        }
        rows.await(JobState.COMPLETED, held);
        assertThat(rows.attempt(held)).isOne();
        assertThat(rows.jdbc()
                        .sql("SELECT max(percent) FROM queue.job_event WHERE job_id = ?")
                        .param(held)
                        .query(Integer.class)
                        .single())
                .isEqualTo(50);
    }

    private static Instant timeoutOf(UUID id) {
        return rows.live(id, "coalesce(timeout_at, '-infinity')", Instant.class).orElseThrow();
    }

    static class Handlers {

        final Semaphore waiting = new Semaphore(0);
        final Semaphore go = new Semaphore(0);
        final Semaphore reported = new Semaphore(0);
        final Semaphore goOther = new Semaphore(0);
        final Semaphore rolledBack = new Semaphore(0);
        final AtomicInteger runs = new AtomicInteger();
        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler(value = "held", transactional = true)
        void held(JobContext job) throws InterruptedException {
            jdbc.sql("SELECT 1").query(Integer.class).single();
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    if (status != STATUS_COMMITTED) {
                        rolledBack.release();
                    }
                }
            });
            if (runs.incrementAndGet() == 1) {
                waiting.release();
                go.acquire();
            }
            job.progress(50, null);
            reported.release();
        }

        @JobHandler(value = "other", transactional = true, timeout = "60s")
        void other(JobContext job) throws InterruptedException {
            waiting.release();
            goOther.acquire();
            job.extend(HOUR.multipliedBy(2));
            await().until(() -> timeoutOf(job.id()).isAfter(Instant.now().plus(HOUR)));
        }
    }
}
