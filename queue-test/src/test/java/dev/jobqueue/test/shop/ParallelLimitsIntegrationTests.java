package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A claim keeps the limits of its jobs locked until its transaction ends: a test for as long as it takes. */
class ParallelLimitsIntegrationTests {

    private static final Duration CROWDED = Duration.ofSeconds(25);

    private final TestDatabase database = TestDatabase.create();

    /** One application context after the other, each with the same jobs. */
    private final ApplicationContextRunner contexts = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DataSourceAutoConfiguration.class,
                    DataSourceTransactionManagerAutoConfiguration.class,
                    QueueAutoConfiguration.class))
            .withUserConfiguration(ElsewhereHandlers.class, Tested.class)
            .withPropertyValues(
                    "spring.datasource.url=" + database.jdbcUrl(),
                    "spring.datasource.username=" + database.username(),
                    "spring.datasource.password=" + database.password());

    @AutoConfigureJobTest
    static class Tested {}

    @Test
    void letTheTestsWaitForEachOther() {
        contexts.run(one -> contexts.run(other -> {
            new JdbcTemplate(database.dataSource())
                    .execute("SELECT queue.set_limit('two', running => 2),"
                            + " queue.use_limits('elsewhere.log', NULL, '{two}')");
            CountDownLatch holds = new CountDownLatch(1);
            CountDownLatch mayEnd = new CountDownLatch(1);
            CompletableFuture<Integer> first = CompletableFuture.supplyAsync(() -> drained(one, () -> {
                holds.countDown();
                awaitThe(mayEnd);
            }));
            awaitThe(holds);
            AtomicReference<Thread> thread = new AtomicReference<>();
            CompletableFuture<Integer> second = CompletableFuture.supplyAsync(() -> {
                thread.set(Thread.currentThread());
                return drained(other, () -> {});
            });
            await().atMost(CROWDED).until(() -> second.isDone() || isPatient(thread.get()));
            mayEnd.countDown();
            assertThat(first.join()).isEqualTo(1);
            assertThat(second.join()).isEqualTo(1);
        }));
    }

    private static boolean isPatient(Thread thread) {
        return thread != null
                && Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().endsWith("Patience"));
    }

    private static Integer drained(ApplicationContext context, Runnable atLast) {
        TransactionTemplate transaction = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        return transaction.execute(status -> {
            status.setRollbackOnly();
            context.getBean(JobPublisher.class).publish("elsewhere.log", "nowhere");
            int attempts = context.getBean(JobTester.class).drain();
            atLast.run();
            return attempts;
        });
    }

    private static void awaitThe(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(ex);
        }
    }
}
