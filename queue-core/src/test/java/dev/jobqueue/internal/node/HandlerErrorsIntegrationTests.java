package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;

/** Handlers that end in ways nobody expects, on a node with one slot: the slot handles the next job all the same. */
class HandlerErrorsIntegrationTests {

    private static final TestDatabase database = CheckedQueue.create();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    @Test
    void countOutOfMemoryAsAFailedAttempt() {
        assertThat(errorOf(() -> {
                    throw new OutOfMemoryError("Java heap space");
                }))
                .contains("java.lang.OutOfMemoryError: Java heap space");
    }

    @Test
    void countAStackOverflowAsAFailedAttempt() {
        assertThat(errorOf(() -> overflow(1))).contains("java.lang.StackOverflowError");
    }

    @Test
    @SuppressWarnings("removal")
    void countTheDeathOfTheThreadAsAFailedAttempt() {
        assertThat(errorOf(() -> {
                    throw new ThreadDeath();
                }))
                .contains("java.lang.ThreadDeath");
    }

    @Test
    void countAnExceptionThatCannotTellItsMessageAsAFailedAttempt() {
        assertThat(errorOf(() -> {
                    throw new Untellable();
                }))
                .contains(Untellable.class.getName(), "could not be read");
    }

    @Test
    void endTheTransactionThatAHandlerLeavesOpen() {
        JdbcTransactionManager transactions = new JdbcTransactionManager(database.dataSource());
        assertThat(errorOf(() -> {
                    transactions.getTransaction(null);
                    return null;
                }))
                .contains("left a transaction open on its thread");
    }

    @Test
    void completeTheJobOfAHandlerThatInterruptsItself() {
        AtomicInteger completed = new AtomicInteger();
        UUID first = handle(() -> {
            Thread.currentThread().interrupt();
            return completed.incrementAndGet();
        });
        assertThat(completed).hasValue(1);
        awaiting().until(() -> isCompleted(first));
    }

    private static String errorOf(Callable<?> work) {
        UUID id = handle(work);
        AtomicReference<String> error = new AtomicReference<>();
        awaiting().until(() -> {
            error.set(
                    jdbc.sql("SELECT coalesce(max(errors::text), '') FROM queue.live_job WHERE id = ? AND attempt = 1")
                            .param(id)
                            .query(String.class)
                            .single());
            return !error.get().isEmpty();
        });
        return error.get();
    }

    /** Has a first job do the work, and a second one handled after it. */
    private static UUID handle(Callable<?> work) {
        jdbc.sql("TRUNCATE queue.job, queue.ready, queue.scheduled, queue.lease")
                .update();
        AtomicReference<UUID> first = new AtomicReference<>();
        try (LocalNode node = LocalNode.start(database, database.dataSource(), null, (payload, job) -> {
            first.compareAndSet(null, job.id());
            return job.id().equals(first.get()) ? work.call() : null;
        })) {
            UUID id = node.publish();
            awaiting().until(() -> first.get() != null);
            UUID next = node.publish();
            awaiting().until(() -> isCompleted(next));
            assertThat(first).hasValue(id);
            return id;
        }
    }

    private static boolean isCompleted(UUID id) {
        return jdbc.sql("SELECT EXISTS (SELECT FROM queue.job_history WHERE id = ? AND state = 'COMPLETED')")
                .param(id)
                .query(Boolean.class)
                .single();
    }

    @SuppressWarnings("InfiniteRecursion")
    private static int overflow(int depth) {
        return 1 + overflow(depth + 1);
    }

    private static final class Untellable extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("InfiniteRecursion")
        public String getMessage() {
            return getMessage() + ".";
        }
    }
}
