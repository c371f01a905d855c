package dev.jobqueue.autoconfigure.health;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.postgres.EmbeddedServer;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

class QueueHealthIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    /** Publishes only; another node, which the tests make up, would handle everything. */
    private final ApplicationContextRunner publisher = application().withPropertyValues("queue.worker.enabled=false");

    private final ApplicationContextRunner node = application()
            .withBean(
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("die", Map.class, (payload, job) -> {
                        throw new PermanentJobException("no");
                    }));

    /** More patient than by default: on a crowded machine a healthy database may take its time. */
    private static ApplicationContextRunner application() {
        return ObservedApplication.on(database).withPropertyValues("queue.health.timeout=30s");
    }

    @BeforeAll
    static void migrate() {
        application()
                .withPropertyValues("queue.worker.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @BeforeEach
    void clear() {
        JdbcClient jdbc = JdbcClient.create(database.dataSource());
        jdbc.sql("DELETE FROM queue.job").update();
        jdbc.sql("DELETE FROM queue.dead_letter").update();
        jdbc.sql("DELETE FROM queue.queue").update();
        jdbc.sql("UPDATE queue.setting SET pending_warning = 100, pending_critical = 1000")
                .update();
        jdbc.sql("DELETE FROM queue.worker").update();
        jdbc.sql("SELECT queue.heartbeat(gen_random_uuid())").query().listOfRows();
    }

    private static Health health(ApplicationContext context) {
        return context.getBean("queueHealthIndicator", HealthIndicator.class).health();
    }

    private static void publish(ApplicationContext context, int jobs) {
        context.getBean(JobPublisher.class)
                .publishAll(IntStream.range(0, jobs)
                        .mapToObj(i -> Job.of("t", Map.of()))
                        .toList());
    }

    private static Object of(Health health, String... path) {
        Object value = health.getDetails();
        for (String name : path) {
            value = ((Map<?, ?>) value).get(name);
        }
        return value;
    }

    private static String problems(Health health) {
        return String.valueOf(health.getDetails().get("problems"));
    }

    @Nested
    class Queues {

        @Test
        void areOkWhileTheyKeepUp() {
            node.run(context -> await().untilAsserted(() -> {
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails().get("state")).isEqualTo(Level.OK);
                assertThat(of(health, "queues", "default", "state")).isEqualTo(Level.OK);
                assertThat(of(health, "worker", "alive")).isEqualTo(true);
                assertThat(of(health, "listener")).hasToString("CONNECTED");
                assertThat(of(health, "liveNodes")).isEqualTo(2L);
            }));
        }

        @Test
        void areWarningsWithManyPendingJobsAndStayUp() {
            publisher.withPropertyValues("queue.health.pending-warning=3").run(context -> {
                publish(context, 3);
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(of(health, "queues", "default", "state")).isEqualTo(Level.WARNING);
                assertThat(of(health, "queues", "default", "pending")).isEqualTo(3L);
                assertThat(problems(health)).contains("Queue 'default' has 3 pending jobs");
            });
        }

        @Test
        void areDownWhenCritical() {
            publisher.withPropertyValues("queue.health.pending-critical=3").run(context -> {
                publish(context, 3);
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                assertThat(health(context).getDetails().get("state")).isEqualTo(Level.CRITICAL);
            });
        }

        @Test
        void areUpThoughCriticalIfSoConfigured() {
            publisher
                    .withPropertyValues("queue.health.pending-critical=3", "queue.health.critical-is-down=false")
                    .run(context -> {
                        publish(context, 3);
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                        assertThat(health(context).getDetails().get("state")).isEqualTo(Level.CRITICAL);
                    });
        }

        @Test
        void haveThresholdsOfTheirOwn() {
            publisher
                    .withPropertyValues(
                            "queue.health.pending-critical=3", "queue.queues.default.health.pending-critical=20000")
                    .run(context -> {
                        publish(context, 3);
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    });
        }

        @Test
        void storeTheirThresholdsForTheSqlView() {
            node.withPropertyValues("queue.health.pending-warning=7", "queue.queues.default.health.pending-critical=9")
                    .run(context -> assertThat(context.getBean(JdbcClient.class)
                                    .sql("SELECT pending_warning, pending_critical FROM queue.figures()"
                                            + " WHERE queue = 'default'")
                                    .query()
                                    .singleRow())
                            .containsValues(7, 9));
        }

        @Test
        void areCriticalWhenTheOldestJobWaitsForTooLong() {
            publisher.run(context -> {
                publish(context, 1);
                context.getBean(JdbcClient.class)
                        .sql("UPDATE queue.job SET run_at = now() - interval '2 hours',"
                                + " created_at = now() - interval '2 hours'")
                        .update();
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                assertThat(problems(health(context))).contains("is due for 7");
            });
        }

        @Test
        void areWarningsAtMostWhilePaused() {
            publisher.withPropertyValues("queue.health.pending-critical=1").run(context -> {
                publish(context, 1);
                context.getBean(JdbcClient.class)
                        .sql("SELECT queue.pause('default')")
                        .query()
                        .listOfRows();
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                assertThat(health(context).getDetails().get("state")).isEqualTo(Level.WARNING);
            });
        }

        @Test
        void areWarningsWithDeadLetters() {
            node.withPropertyValues("queue.queues.default.health.dead-critical=2")
                    .run(context -> {
                        context.getBean(JobPublisher.class).publish(Job.of("die", Map.of()));
                        await().untilAsserted(() ->
                                assertThat(problems(health(context))).contains("has 1 dead letters"));
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                        context.getBean(JobPublisher.class).publish(Job.of("die", Map.of()));
                        await().untilAsserted(() ->
                                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN));
                    });
        }
    }

    @Nested
    class Nodes {

        @Test
        void reportTypesNobodyHandles() {
            publisher.run(context -> {
                context.getBean(JdbcClient.class)
                        .sql("DELETE FROM queue.worker")
                        .update();
                publish(context, 1);
                assertThat(of(health(context), "typesWithoutHandler")).hasToString("[t]");
                assertThat(health(context).getDetails().get("state")).isEqualTo(Level.WARNING);
                assertThat(of(health(context), "liveNodes")).isEqualTo(0L);
            });
        }

        @Test
        void sayThatTheyOnlyPoll() {
            node.withPropertyValues("queue.listener.enabled=false")
                    .run(context -> assertThat(of(health(context), "listener")).isEqualTo("POLLING_ONLY"));
        }

        @Test
        void sayThatTheyDoNotWork() {
            publisher.run(context ->
                    assertThat(of(health(context), "worker", "running")).isEqualTo(false));
        }
    }

    @Nested
    class TheDatabase {

        @Test
        void isAWarningWhileSomebodyHoldsATransactionOpen() {
            publisher.withPropertyValues("queue.health.transaction-warning=1ms").run(context -> {
                try (Connection holder = database.connect();
                        Statement statement = holder.createStatement()) {
                    holder.setAutoCommit(false);
                    statement.execute("CREATE TEMPORARY TABLE held (id int)");
                    await().untilAsserted(
                                    () -> assertThat(problems(health(context))).contains("holds back vacuum"));
                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    holder.rollback();
                }
            });
        }

        @Test
        void isDownWithinTheTimeoutWhenItDoesNotAnswer() {
            publisher.withPropertyValues("queue.health.timeout=500ms").run(context -> {
                try (Connection blocker = database.connect();
                        Statement statement = blocker.createStatement()) {
                    blocker.setAutoCommit(false);
                    statement.execute("LOCK TABLE queue.job IN ACCESS EXCLUSIVE MODE");
                    long began = System.nanoTime();
                    Health health = health(context);
                    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(20));
                    assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                    assertThat(health.getDetails().get("error")).asString().contains("did not answer within 500 ms");
                    blocker.rollback();
                }
                await().untilAsserted(
                                () -> assertThat(health(context).getStatus()).isEqualTo(Status.UP));
            });
        }

        @Test
        void isTheReasonWhenTheWayToItIsDead() throws IOException {
            try (Cable cable = Cable.to(database)) {
                publisher
                        .withPropertyValues("spring.datasource.url=" + cable.jdbcUrl(), "queue.health.timeout=1s")
                        .run(context -> {
                            await().until(() -> health(context).getStatus().equals(Status.UP));
                            cable.goDead();
                            for (int i = 0; i < 2; i++) {
                                long began = System.nanoTime();
                                Health health = health(context);
                                assertThat(Duration.ofNanos(System.nanoTime() - began))
                                        .isLessThan(Duration.ofSeconds(20));
                                assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                                assertThat(health.getDetails().get("error"))
                                        .asString()
                                        .contains("The database did not answer");
                            }
                            cable.repair();
                            await().atMost(Duration.ofSeconds(60))
                                    .untilAsserted(
                                            () -> assertThat(health(context).getStatus())
                                                    .isEqualTo(Status.UP));
                        });
            }
        }

        @Test
        void isTheReasonWhenItIsShutDown() {
            EmbeddedServer server = EmbeddedServer.start();
            try {
                publisher
                        .withPropertyValues(
                                "spring.datasource.url=" + server.jdbcUrl("postgres"),
                                "spring.datasource.username=" + server.username(),
                                "spring.datasource.hikari.connection-timeout=2000")
                        .run(context -> {
                            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                            server.close();
                            assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                            assertThat(health(context).getDetails().get("error"))
                                    .asString()
                                    .contains("The database did not answer");
                        });
            } finally {
                server.close();
            }
        }
    }
}
