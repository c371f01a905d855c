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
import dev.jobqueue.autoconfigure.MigratedDatabase;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.postgres.Cable;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.NodeMeter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.AbstractDataSource;

/** What health tells of this node, of its listener, and of the other nodes. */
class NodeHealthIntegrationTests {

    private final TestDatabase database = MigratedDatabase.create();
    private final CountDownLatch go = new CountDownLatch(1);

    private final ApplicationContextRunner node = application()
            .withPropertyValues("queue.worker.slots=3")
            .withBean(
                    HandlerDefinition.class,
                    () -> HandlerDefinition.of("wait", Map.class, (payload, job) -> {
                        go.await();
                        return null;
                    }));

    private final ApplicationContextRunner publisher = application().withPropertyValues("queue.worker.enabled=false");

    /** More patient than by default: on a crowded machine a healthy database may take its time. */
    private ApplicationContextRunner application() {
        return ObservedApplication.on(database).withPropertyValues("queue.health.timeout=30s");
    }

    @Test
    void tellsOfThisWorkerAndItsSlots() {
        node.run(context -> {
            context.getBean(JobPublisher.class).publish(Job.of("wait", Map.of()));
            await().untilAsserted(() -> {
                Health health = health(context);
                assertThat(detail(health, "worker", "running")).isEqualTo(true);
                assertThat(detail(health, "worker", "alive")).isEqualTo(true);
                assertThat(detail(health, "worker", "slots", "default")).hasToString("SlotUse[total=3, used=1]");
                assertThat(detail(health, "queues", "default", "running")).isEqualTo(1L);
            });
            go.countDown();
        });
    }

    @Test
    void isDownWhenThisWorkerCannotSayThatItLives() {
        node.withPropertyValues("queue.worker.heartbeat-interval=500ms", "queue.worker.ttl=4s")
                .run(context -> {
                    await().untilAsserted(() ->
                            assertThat(detail(health(context), "liveNodes")).isEqualTo(1L));
                    try (Connection blocker = database.connect();
                            Statement statement = blocker.createStatement()) {
                        blocker.setAutoCommit(false);
                        statement.execute("SELECT FROM queue.worker FOR UPDATE");
                        await().untilAsserted(() -> {
                            Health health = health(context);
                            assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                            assertThat(problems(health)).contains("This node has sent no heartbeat for");
                            assertThat(detail(health, "worker", "alive")).isEqualTo(false);
                            assertThat(detail(health, "liveNodes")).isEqualTo(0L);
                        });
                        blocker.rollback();
                    }
                    await().untilAsserted(() -> {
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                        assertThat(detail(health(context), "liveNodes")).isEqualTo(1L);
                    });
                });
    }

    @Test
    void goesOnWhenAThreadMeetsAnErrorAndTellsOfIt() {
        AtomicInteger claims = new AtomicInteger();
        node.withBean(NodeMeter.class, () -> new NodeMeter() {
                    @Override
                    public void claimed(Duration took, int jobs) {
                        if (claims.incrementAndGet() == 1) {
                            throw new OutOfMemoryError("on purpose");
                        }
                    }
                })
                .withBean(MeterRegistry.class, () -> registry)
                .run(context -> {
                    go.countDown();
                    await().until(() -> claims.get() > 0);
                    context.getBean(JobPublisher.class).publish(Job.of("wait", Map.of()));
                    await().until(() -> context.getBean(JdbcClient.class)
                                    .sql("SELECT count(*) FROM queue.job_history")
                                    .query(Long.class)
                                    .single()
                            == 1);
                    Health health = health(context);
                    assertThat(problems(health))
                            .contains("Thread 'queue-claimer' went on after 1 error", "java.lang.OutOfMemoryError");
                    assertThat(state(health)).isEqualTo(Level.WARNING);
                    assertThat(health.getStatus()).isEqualTo(Status.UP);
                    assertThat(registry.get("queue.thread.failures")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void doesNotCountANodeThatIsSilent() {
        publisher
                .withPropertyValues("queue.worker.heartbeat-interval=1s", "queue.worker.ttl=3s")
                .run(context -> {
                    context.getBean(JdbcClient.class)
                            .sql("SELECT queue.heartbeat(gen_random_uuid())")
                            .query()
                            .listOfRows();
                    await().untilAsserted(() ->
                            assertThat(detail(health(context), "liveNodes")).isEqualTo(0L));
                });
    }

    @Test
    void warnsOfTypesThatOnlyOthersWouldHandle() {
        node.run(context -> {
            context.getBean(JobPublisher.class).publish(Job.of("nobody", Map.of()));
            await().untilAsserted(() -> {
                Health health = health(context);
                assertThat(detail(health, "typesWithoutHandler")).hasToString("[nobody]");
                assertThat(problems(health)).contains("No live node handles type 'nobody' in queue 'default'");
                assertThat(state(health)).isEqualTo(Level.WARNING);
                assertThat(health.getStatus()).isEqualTo(Status.UP);
            });
        });
    }

    @Test
    void warnsWhileAHandlerGoesOnAfterItsTimeout() {
        AtomicBoolean stays = new AtomicBoolean(true);
        node.withBean(
                        "deaf",
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("deaf", Map.class, (payload, job) -> {
                                    while (stays.get()) {
                                        Thread.interrupted();
                                        LockSupport.parkNanos(1_000_000);
                                    }
                                    return null;
                                })
                                .timeout(Duration.ofMillis(100))
                                .transactional(true))
                .run(context -> {
                    context.getBean(JobPublisher.class)
                            .publish(Job.of("deaf", Map.of()).maxAttempts(1));
                    await().untilAsserted(() -> {
                        Health health = health(context);
                        assertThat(problems(health))
                                .contains(
                                        "1 run of 'deaf' went on after the interrupt of the timeout", "a transaction");
                        assertThat(state(health)).isEqualTo(Level.WARNING);
                        assertThat(health.getStatus()).isEqualTo(Status.UP);
                    });
                    stays.set(false);
                    await().untilAsserted(
                                    () -> assertThat(problems(health(context))).doesNotContain("'deaf'"));
                });
    }

    @Test
    void tellsThatThereIsNoListener() {
        node.withPropertyValues("queue.listener.enabled=false").run(context -> {
            assertThat(detail(health(context), "listener")).isEqualTo("POLLING_ONLY");
            assertThat(problems(health(context))).doesNotContain("polls");
        });
    }

    @Test
    void tellsThatThisNodeOnlyPublishes() {
        publisher.run(context -> {
            assertThat(detail(health(context), "worker", "running")).isEqualTo(false);
            assertThat(health(context).getDetails()).doesNotContainKey("listener");
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void isDownWhileThisNodeCanSettleNothing() {
        AtomicReference<@Nullable String> broken = new AtomicReference<>();
        node.withPropertyValues("queue.health.outage-critical=2s")
                .withBean(DataSource.class, () -> new BrokenForTheSettler(database, broken))
                .withBean(MeterRegistry.class, () -> registry)
                .run(context -> {
                    broken.set("53100");
                    go.countDown();
                    context.getBean(JobPublisher.class).publish(Job.of("wait", Map.of()));
                    await().untilAsserted(() -> {
                        Health health = health(context);
                        assertThat(health.getStatus()).isEqualTo(Status.DOWN);
                        assertThat(problems(health)).contains("Settling jobs: the database has failed", "disk");
                        assertThat(outage("settle")).isGreaterThan(1);
                        assertThat(outage("claim")).isZero();
                    });
                    broken.set(null);
                    await().untilAsserted(() -> {
                        assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                        assertThat(outage("settle")).isZero();
                    });
                });
    }

    private double outage(String task) {
        return registry.get("queue.outage").tag("task", task).timeGauge().value(TimeUnit.SECONDS);
    }

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private ApplicationContextRunner listeningThrough(Cable cable) {
        return node.withBean(DataSource.class, () -> new OtherWayForTheListener(database, cable))
                .withBean(MeterRegistry.class, () -> registry);
    }

    private void awaitListener(ApplicationContext context, String state, double connected) {
        await().untilAsserted(() -> {
            assertThat(detail(health(context), "listener")).hasToString(state);
            assertThat(registry.get("queue.listener.connected").gauge().value()).isEqualTo(connected);
        });
    }

    @Test
    void warnsWhileTheListenerIsDeaf() throws IOException {
        try (Cable cable = Cable.to(database)) {
            listeningThrough(cable)
                    .withPropertyValues("queue.listener.probe-interval=3s")
                    .run(context -> {
                        awaitListener(context, "CONNECTED", 1);
                        cable.goDead();
                        awaitListener(context, "DEAF", 0);
                        Health deaf = health(context);
                        assertThat(deaf.getStatus()).isEqualTo(Status.UP);
                        assertThat(state(deaf)).isEqualTo(Level.WARNING);
                        assertThat(problems(deaf)).contains("hears of no notifications (DEAF) and only polls");
                        cable.repair();
                        awaitListener(context, "CONNECTED", 1);
                    });
        }
    }

    @Test
    void warnsWhileTheListenerIsDisconnected() throws IOException {
        try (Cable cable = Cable.to(database)) {
            listeningThrough(cable).run(context -> {
                awaitListener(context, "CONNECTED", 1);
                cable.cut();
                awaitListener(context, "DISCONNECTED", 0);
                assertThat(problems(health(context))).contains("hears of no notifications (DISCONNECTED)");
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            });
        }
    }

    /** Refuses connections to the settler with a SQLSTATE, while there is one. */
    private static final class BrokenForTheSettler extends AbstractDataSource {

        private final TestDatabase database;
        private final AtomicReference<@Nullable String> broken;

        BrokenForTheSettler(TestDatabase database, AtomicReference<@Nullable String> broken) {
            this.database = database;
            this.broken = broken;
        }

        @Override
        public Connection getConnection() throws SQLException {
            String state = broken.get();
            if (state != null && Thread.currentThread().getName().equals("queue-settler")) {
                // as the server sends it: severity, state and message
                throw new PSQLException(new ServerErrorMessage("SERROR\0C%s\0Mthe disk is full\0".formatted(state)));
            }
            return database.connect();
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }
    }

    /** The listener goes through the cable; all others go straight. */
    private static final class OtherWayForTheListener extends AbstractDataSource {

        private final TestDatabase database;
        private final Cable cable;

        OtherWayForTheListener(TestDatabase database, Cable cable) {
            this.database = database;
            this.cable = cable;
        }

        @Override
        public Connection getConnection() throws SQLException {
            return isListener()
                    ? DriverManager.getConnection(cable.jdbcUrl(database), database.username(), database.password())
                    : database.connect();
        }

        /** The connection it keeps, not those of the probes it sends. */
        private static boolean isListener() {
            return Thread.currentThread().getName().equals("queue-listener")
                    && StackWalker.getInstance()
                            .walk(frames -> frames.noneMatch(
                                    frame -> frame.getClassName().contains(".store.")));
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return getConnection();
        }
    }
}
