package dev.jobqueue.autoconfigure.health;

import static dev.jobqueue.autoconfigure.Patience.await;
import static dev.jobqueue.autoconfigure.health.HealthProbe.detail;
import static dev.jobqueue.autoconfigure.health.HealthProbe.health;
import static dev.jobqueue.autoconfigure.health.HealthProbe.problems;
import static dev.jobqueue.autoconfigure.health.HealthProbe.state;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.Cable;
import dev.jobqueue.postgres.EmbeddedServer;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

class QueueHealthIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

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
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
    }

    @BeforeEach
    void clear() {
        for (String table : List.of("job", "ready", "scheduled", "lease", "dead_letter", "queue", "worker")) {
            jdbc.sql("DELETE FROM queue." + table).update();
        }
        jdbc.sql("UPDATE queue.setting SET pending_warning = DEFAULT, pending_critical = DEFAULT")
                .update();
        jdbc.sql("SELECT queue.heartbeat(gen_random_uuid())").query().listOfRows();
    }

    private static void publish(ApplicationContext context, int jobs) {
        context.getBean(JobPublisher.class)
                .publishAll(IntStream.range(0, jobs)
                        .mapToObj(i -> Job.of("t", Map.of()))
                        .toList());
    }

    @Nested
    class Queues {

        @Test
        void areOkWhileTheyKeepUp() {
            node.run(context -> await().untilAsserted(() -> {
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(health.getDetails().get("state")).isEqualTo(Level.OK);
                assertThat(detail(health, "queues", "default", "state")).isEqualTo(Level.OK);
                assertThat(detail(health, "worker", "alive")).isEqualTo(true);
                assertThat(detail(health, "listener")).hasToString("CONNECTED");
                assertThat(detail(health, "liveNodes")).isEqualTo(2L);
            }));
        }

        @Test
        void areWarningsWithManyPendingJobsAndStayUp() {
            publisher.withPropertyValues("queue.health.pending-warning=3").run(context -> {
                publish(context, 3);
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(detail(health, "queues", "default", "state")).isEqualTo(Level.WARNING);
                assertThat(detail(health, "queues", "default", "pending")).isEqualTo(3L);
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

        /** As if what is there had been published that long ago. */
        private void age(String interval) {
            jdbc.sql("""
                            WITH aged AS (
                                UPDATE queue.job
                                SET run_at = now() - :age::interval, created_at = now() - :age::interval
                                RETURNING id, run_at)
                            UPDATE queue.ready SET run_at = aged.run_at FROM aged WHERE ready.id = aged.id
                            """).param("age", interval).update();
        }

        @Test
        void stayUpAfterABulkPublish() {
            publisher.run(context -> {
                publish(context, 1_500);
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(detail(health, "queues", "default", "state")).isEqualTo(Level.WARNING);
                assertThat(detail(health, "queues", "default", "pending")).isEqualTo(1_500L);
            });
        }

        @Test
        void sayThatTheyHaveAtLeastSoManyJobs() {
            publisher.withPropertyValues("queue.metrics.count-limit=1000").run(context -> {
                publish(context, 1_001);
                assertThat(detail(health(context), "queues", "default", "pending"))
                        .isEqualTo(1_000L);
                assertThat(detail(health(context), "queues", "default", "pendingIsAtLeast"))
                        .isEqualTo(true);
            });
        }

        @Test
        void areWarningsWhenTheOldestJobWaitsForLong() {
            publisher.run(context -> {
                publish(context, 1);
                age("11 minutes");
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(state(health)).isEqualTo(Level.WARNING);
                assertThat((double) detail(health, "queues", "default", "oldestPendingSeconds"))
                        .isBetween(660.0, 1_000.0);
            });
        }

        @Test
        void haveAgesOfTheirOwn() {
            publisher
                    .withPropertyValues(
                            "queue.health.oldest-critical=1ms", "queue.queues.default.health.oldest-critical=12h")
                    .run(context -> {
                        publish(context, 1);
                        age("2 hours");
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                        assertThat(state(health(context))).isEqualTo(Level.WARNING);
                    });
        }

        @Test
        void areOkWithNothingWhateverTheThreshold() {
            publisher
                    .withPropertyValues("queue.health.dead-critical=0", "queue.health.pending-critical=0")
                    .run(context -> {
                        jdbc.sql("SELECT queue.pause('default')").query().listOfRows();
                        assertThat(detail(health(context), "queues", "default", "state"))
                                .isEqualTo(Level.OK);
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    });
        }

        @Test
        void areCriticalWhenTheOldestJobWaitsForTooLong() {
            publisher.run(context -> {
                publish(context, 1);
                age("2 hours");
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                assertThat(problems(health(context))).contains("has been due for 7");
            });
        }

        @Test
        void areWarningsAtMostWithTypesThatNobodyHandles() {
            publisher.withPropertyValues("queue.health.pending-critical=1").run(context -> {
                handleOnly("handled");
                publish(context, 1);
                age("2 hours");
                Health health = health(context);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
                assertThat(state(health)).isEqualTo(Level.WARNING);
                assertThat(problems(health)).contains("has been due for 7", "No live node handles type 't'");
            });
        }

        @Test
        void nameAQueueThatNoLiveNodeWorks() {
            publisher.run(context -> {
                jdbc.sql("DELETE FROM queue.worker").update();
                jdbc.sql("SELECT queue.heartbeat(gen_random_uuid(), queues => '{other}', types => '{t}')")
                        .query()
                        .listOfRows();
                publish(context, 1);
                Health health = health(context);
                assertThat(problems(health))
                        .contains("No live node works the queue 'default', where jobs of type 't' wait. ")
                        .contains("queue.queues.default.slots=10");
                assertThat(health.getDetails().get("queuesWithoutNode")).isEqualTo(List.of("default"));
                assertThat(String.valueOf(health.getDetails().get("queues"))).contains("default={state=WARNING");
            });
        }

        @Test
        void areCriticalWithJobsThatSomebodyHandlesAmongThoseThatNobodyDoes() {
            publisher.run(context -> {
                handleOnly("handled");
                publish(context, 1);
                context.getBean(JobPublisher.class).publish(Job.of("handled", Map.of()));
                age("2 hours");
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            });
        }

        @Test
        void countThoseThatSomebodyHandlesForTheCriticalThreshold() {
            publisher.withPropertyValues("queue.health.pending-critical=3").run(context -> {
                handleOnly("handled");
                publish(context, 5);
                JobPublisher jobs = context.getBean(JobPublisher.class);
                jobs.publish(Job.of("handled", Map.of()));
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                assertThat(state(health(context))).isEqualTo(Level.WARNING);
                assertThat(problems(health(context))).contains("has 6 pending jobs");
                jobs.publish(Job.of("handled", Map.of()));
                jobs.publish(Job.of("handled", Map.of()));
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            });
        }

        private void handleOnly(String type) {
            jdbc.sql("DELETE FROM queue.worker").update();
            jdbc.sql("SELECT queue.heartbeat(gen_random_uuid(), types => ARRAY[?])")
                    .param(type)
                    .query()
                    .listOfRows();
        }

        @Test
        void areCriticalWithoutAnyNode() {
            publisher.run(context -> {
                jdbc.sql("DELETE FROM queue.worker").update();
                publish(context, 1);
                age("2 hours");
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
            });
        }

        @Test
        void areWarningsAtMostWhilePaused() {
            publisher.withPropertyValues("queue.health.pending-critical=1").run(context -> {
                publish(context, 1);
                jdbc.sql("SELECT queue.pause('default')").query().listOfRows();
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
                                assertThat(problems(health(context))).contains("has 1 dead letter"));
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                        context.getBean(JobPublisher.class).publish(Job.of("die", Map.of()));
                        await().untilAsserted(() ->
                                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN));
                    });
        }
    }

    @Nested
    class TheDatabase {

        @Test
        void isAWarningWithManyDeadTuples() {
            publisher.withPropertyValues("queue.health.dead-tuples-warning=50").run(context -> {
                publish(context, 100);
                // not by vacuum, before it is seen
                jdbc.sql("ALTER TABLE queue.job SET (autovacuum_enabled = off)").update();
                jdbc.sql("UPDATE queue.job SET stage = 'waits'").update();
                await().atMost(Duration.ofSeconds(30))
                        .untilAsserted(() -> assertThat(problems(health(context)))
                                .contains("The table of live jobs has", "dead tuples"));
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                assertThat((long) detail(health(context), "database", "deadTuples"))
                        .isGreaterThanOrEqualTo(50);
                jdbc.sql("ALTER TABLE queue.job RESET (autovacuum_enabled)").update();
            });
        }

        @Test
        void isAWarningWhenNotificationsPileUp() {
            // a page of the eight gigabytes is enough, or this would take an hour
            publisher
                    .withPropertyValues("queue.health.notification-warning=1e-7")
                    .run(context -> {
                        try (Connection deaf = database.connect();
                                Statement statement = deaf.createStatement()) {
                            statement.execute("LISTEN pile");
                            deaf.setAutoCommit(false);
                            statement.execute("SELECT 1");
                            for (int i = 0; i < 20; i++) {
                                jdbc.sql("SELECT pg_notify('pile', repeat('x', 7000) || ?)")
                                        .param(i)
                                        .query()
                                        .listOfRows();
                            }
                            Health health = health(context);
                            assertThat(problems(health)).contains("PostgreSQL's queue of notifications is");
                            assertThat(health.getStatus()).isEqualTo(Status.UP);
                            assertThat((double) detail(health, "database", "notificationQueueUsage"))
                                    .isPositive();
                            deaf.rollback();
                        }
                    });
        }

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
                        .withPropertyValues(
                                "spring.datasource.url=" + cable.jdbcUrl(database), "queue.health.timeout=1s")
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
        void tellsItsErrorWithoutTheStatement() {
            publisher.run(context -> {
                jdbc.sql("ALTER SCHEMA queue RENAME TO elsewhere").update();
                try {
                    assertThat(health(context).getDetails().get("error"))
                            .asString()
                            .startsWith("The database refuses: ERROR: ")
                            .doesNotContain("SELECT");
                } finally {
                    jdbc.sql("ALTER SCHEMA elsewhere RENAME TO queue").update();
                }
            });
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
                                    .containsAnyOf("The database did not answer", "The database cannot be reached");
                        });
            } finally {
                server.close();
            }
        }
    }
}
