package dev.jobqueue.autoconfigure.metrics;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class QueueMetersIntegrationTests {

    private final CountDownLatch go = new CountDownLatch(1);

    private final ApplicationContextRunner application = ObservedApplication.on(TestDatabase.create())
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withPropertyValues("queue.metrics.refresh=100ms", "queue.worker.slots=3")
            .withBean(
                    "work",
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("work", Map.class, (payload, job) -> null))
            .withBean(
                    "wait",
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("wait", Map.class, (payload, job) -> {
                        go.await();
                        return null;
                    }))
            .withBean(
                    "fail",
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("fail", Map.class, (payload, job) -> {
                                throw new IllegalStateException("again");
                            })
                            .retryPolicy(RetryPolicy.DEFAULT))
            .withBean(
                    "die",
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("die", Map.class, (payload, job) -> {
                        throw new PermanentJobException("no");
                    }))
            .withBean(
                    "snooze",
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("snooze", Map.class, (payload, job) -> {
                        job.snooze(Duration.ofHours(1));
                        return null;
                    }));

    private static UUID publish(ApplicationContext context, String type) {
        return context.getBean(JobPublisher.class).publish(Job.of(type, Map.of()));
    }

    private static double handled(ApplicationContext context, String type, String outcome) {
        var counter = context.getBean(MeterRegistry.class)
                .find("queue.jobs.handled")
                .tags("queue", "default", "type", type, "outcome", outcome)
                .counter();
        return counter == null ? 0 : counter.count();
    }

    private static double gauge(ApplicationContext context, String name, String... tags) {
        var gauge = context.getBean(MeterRegistry.class).find(name).tags(tags).gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    private static void awaitValue(Supplier<Double> value, double expected) {
        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(value.get()).isEqualTo(expected));
    }

    @Nested
    class Outcomes {

        @Test
        void areCountedAndTimed() {
            application.run(context -> {
                publish(context, "work");
                publish(context, "fail");
                publish(context, "die");
                publish(context, "snooze");
                awaitValue(() -> handled(context, "work", "completed"), 1);
                awaitValue(() -> handled(context, "fail", "retried"), 1);
                awaitValue(() -> handled(context, "die", "dead"), 1);
                awaitValue(() -> handled(context, "snooze", "snoozed"), 1);
                MeterRegistry registry = context.getBean(MeterRegistry.class);
                assertThat(registry.get("queue.jobs.published")
                                .tags("queue", "default", "type", "work")
                                .counter()
                                .count())
                        .isEqualTo(1);
                for (String timer : new String[] {"queue.job.wait", "queue.job.run"}) {
                    assertThat(registry.get(timer).tag("type", "work").timer().count())
                            .isEqualTo(1);
                }
                assertThat(registry.get("queue.claim").timer().count()).isPositive();
                assertThat(registry.get("queue.claim.batch").summary().totalAmount())
                        .isEqualTo(4);
                assertThat(registry.get("queue.settle").timer().count()).isPositive();
                assertThat(registry.get("queue.settle.batch").summary().totalAmount())
                        .isEqualTo(4);
                assertThat(registry.get("queue.rescued").counter().count()).isZero();
            });
        }

        @Test
        void countCancelledRunsAndLostLeases() {
            application.run(context -> {
                UUID cancelled = publish(context, "wait");
                awaitValue(() -> gauge(context, "queue.slots", "queue", "default", "kind", "used"), 1);
                context.getBean(JobOperations.class).cancel(cancelled);
                awaitValue(() -> handled(context, "wait", "cancelled"), 1);
                UUID lost = publish(context, "wait");
                awaitValue(() -> gauge(context, "queue.slots", "queue", "default", "kind", "used"), 1);
                context.getBean(JdbcClient.class)
                        .sql("UPDATE queue.job SET version = version + 1 WHERE id = ?")
                        .param(lost)
                        .update();
                go.countDown();
                awaitValue(() -> handled(context, "wait", "lease-lost"), 1);
            });
        }

        @Test
        void countRunsThatWereGivenBackAtShutdown() {
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            ObservedApplication.on(TestDatabase.create())
                    .withBean(MeterRegistry.class, () -> registry)
                    .withPropertyValues("queue.worker.shutdown-grace=0s")
                    .withBean(
                            HandlerDefinition.class,
                            () -> HandlerDefinition.of("wait", Map.class, (payload, job) -> {
                                go.await();
                                return null;
                            }))
                    .run(context -> {
                        publish(context, "wait");
                        awaitValue(() -> gauge(context, "queue.slots", "queue", "default", "kind", "used"), 1);
                    });
            assertThat(registry.get("queue.jobs.handled")
                            .tag("outcome", "released")
                            .counter()
                            .count())
                    .isEqualTo(1);
        }

        @Test
        void countPublishedJobsOnceTheirTransactionHasCommitted() {
            application.run(context -> {
                TransactionTemplate transaction =
                        new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
                transaction.executeWithoutResult(status -> {
                    publish(context, "nobody");
                    status.setRollbackOnly();
                });
                MeterRegistry registry = context.getBean(MeterRegistry.class);
                assertThat(registry.find("queue.jobs.published").counter()).isNull();
                transaction.executeWithoutResult(status -> publish(context, "nobody"));
                awaitValue(
                        () -> {
                            var counter = registry.find("queue.jobs.published").counter();
                            return counter == null ? 0 : counter.count();
                        },
                        1);
            });
        }

        @Test
        void countRescuedJobs() {
            application
                    .withPropertyValues("queue.worker.heartbeat-interval=200ms", "queue.worker.ttl=2s")
                    .run(context -> {
                        JdbcClient jdbc = context.getBean(JdbcClient.class);
                        jdbc.sql("SELECT queue.publish('strange', '{}', 'elsewhere')")
                                .query()
                                .listOfRows();
                        jdbc.sql("SELECT queue.claim(gen_random_uuid(), '{elsewhere}', '{1}')")
                                .query()
                                .listOfRows();
                        awaitValue(
                                () -> context.getBean(MeterRegistry.class)
                                        .get("queue.rescued")
                                        .counter()
                                        .count(),
                                1);
                    });
        }

        @Test
        void haveHistogramsOnRequest() {
            PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            new QueueMeters(prometheus, true)
                    .ended(new JobEvent.Ended(
                            UUID.randomUUID(),
                            "t",
                            "q",
                            Instant.now(),
                            1,
                            JobEnding.COMPLETED,
                            Duration.ZERO,
                            Duration.ZERO,
                            null,
                            null));
            assertThat(prometheus.scrape()).contains("queue_job_run_seconds_bucket", "queue_job_wait_seconds_bucket");
        }
    }

    @Nested
    class Gauges {

        @Test
        void followTheDatabaseAndThisNode() {
            application.run(context -> {
                awaitValue(() -> gauge(context, "queue.listener.connected"), 1);
                awaitValue(() -> gauge(context, "queue.nodes"), 1);
                awaitValue(() -> gauge(context, "queue.slots", "queue", "default", "kind", "total"), 3);
                for (int i = 0; i < 5; i++) {
                    publish(context, "wait");
                }
                publish(context, "nobody");
                context.getBean(JobPublisher.class)
                        .publish(Job.of("work", Map.of()).delay(Duration.ofHours(1)));
                awaitValue(() -> gauge(context, "queue.jobs", "queue", "default", "state", "running"), 3);
                awaitValue(() -> gauge(context, "queue.jobs", "queue", "default", "state", "pending"), 3);
                awaitValue(() -> gauge(context, "queue.jobs", "queue", "default", "state", "scheduled"), 1);
                awaitValue(() -> gauge(context, "queue.slots", "queue", "default", "kind", "used"), 3);
                awaitValue(() -> gauge(context, "queue.unhandled.types"), 1);
                await().untilAsserted(() -> assertThat(gauge(context, "queue.oldest.age", "queue", "default"))
                        .isPositive());
                go.countDown();
                awaitValue(() -> gauge(context, "queue.jobs", "queue", "default", "state", "running"), 0);
                publish(context, "die");
                awaitValue(() -> gauge(context, "queue.dead.letters", "queue", "default"), 1);
                assertThat(gauge(context, "queue.figures.age")).isBetween(0.0, 60.0);
            });
        }

        @Test
        void followWhatAilsPostgres() {
            TestDatabase database = TestDatabase.create();
            ObservedApplication.on(database)
                    .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                    .withPropertyValues("queue.worker.enabled=false", "queue.metrics.refresh=100ms")
                    .run(context -> {
                        JdbcClient jdbc = context.getBean(JdbcClient.class);
                        try (Connection holder = database.connect();
                                Statement statement = holder.createStatement()) {
                            statement.execute("LISTEN pile");
                            holder.setAutoCommit(false);
                            statement.execute("CREATE TEMPORARY TABLE held (id int)");
                            publish(context, "t");
                            jdbc.sql("UPDATE queue.job SET stage = 'waits'").update();
                            for (int i = 0; i < 20; i++) {
                                jdbc.sql("SELECT pg_notify('pile', repeat('x', 7000) || ?)")
                                        .param(i)
                                        .query()
                                        .listOfRows();
                            }
                            await().atMost(Duration.ofSeconds(30)).untilAsserted(() -> {
                                assertThat(gauge(context, "queue.database.transaction.age"))
                                        .isGreaterThan(0.5);
                                assertThat(gauge(context, "queue.database.dead.tuples"))
                                        .isPositive();
                                assertThat(gauge(context, "queue.database.notification.usage"))
                                        .isPositive();
                            });
                            holder.rollback();
                        }
                    });
        }

        @Test
        void sayHowOldTheyAreWhenTheDatabaseStopsAnswering() {
            application
                    .withPropertyValues("queue.worker.enabled=false", "queue.metrics.timeout=1s")
                    .run(context -> {
                        awaitValue(() -> gauge(context, "queue.nodes"), 0);
                        try (var blocker = context.getBean(DataSource.class).getConnection()) {
                            blocker.setAutoCommit(false);
                            blocker.createStatement().execute("LOCK TABLE queue.job IN ACCESS EXCLUSIVE MODE");
                            await().atMost(Duration.ofSeconds(30)).until(() -> gauge(context, "queue.figures.age") > 2);
                            blocker.rollback();
                        }
                        await().atMost(Duration.ofSeconds(30)).until(() -> gauge(context, "queue.figures.age") < 1.5);
                    });
        }
    }

    @Nested
    class AScrape {

        private final AtomicInteger connections = new AtomicInteger();

        @Test
        void runsNoQuery() {
            PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
            ObservedApplication.on(TestDatabase.create())
                    .withBean(MeterRegistry.class, () -> prometheus)
                    .withBean(CountedConnections.class, () -> new CountedConnections(connections))
                    .withPropertyValues("queue.worker.enabled=false", "queue.metrics.refresh=1h")
                    .run(context -> {
                        publish(context, "t");
                        await().untilAsserted(
                                        () -> assertThat(prometheus.scrape()).contains("queue_jobs_published_total"));
                        await().until(() -> gauge(context, "queue.figures.age") < 60);
                        context.getBean(FigureGauges.class).refresh();
                        int before = connections.get();
                        assertThat(before).isPositive();
                        for (int i = 0; i < 20; i++) {
                            assertThat(prometheus.scrape())
                                    .contains("queue_jobs{", "queue_oldest_age_seconds{", "queue_nodes ");
                        }
                        assertThat(connections.get()).isEqualTo(before);
                    });
        }
    }

    /** Counts what is asked of the pool. */
    static final class CountedConnections implements BeanPostProcessor {

        private final AtomicInteger count;

        CountedConnections(AtomicInteger count) {
            this.count = count;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof DataSource dataSource)) {
                return bean;
            }
            return new DelegatingDataSource(dataSource) {
                @Override
                public Connection getConnection() throws SQLException {
                    count.incrementAndGet();
                    return super.getConnection();
                }
            };
        }
    }
}
