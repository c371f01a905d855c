package dev.jobqueue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.node.NodeStatus.ListenerState;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ListenerIntegrationTests {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Schema SCHEMA = new Schema("queue");

    private final TestDatabase database = CheckedQueue.create();
    private final PublishCalls publications = new PublishCalls(Sql.apart(database.dataSource(), SCHEMA));
    private final AtomicReference<Connection> current = new AtomicReference<>();
    private final AtomicInteger connects = new AtomicInteger();
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final Listener.Ear ear = new Listener.Ear() {
        @Override
        public void heard(String text) {
            heard.add(text);
        }

        @Override
        public void missedSome() {
            connects.incrementAndGet();
        }
    };
    private final Listener listener = new Listener(
            () -> {
                current.set(database.connect());
                return current.get();
            },
            SCHEMA,
            probe -> CompletableFuture.runAsync(() -> publications.wake(Set.of(probe))),
            ear,
            new Listener.Timing(Duration.ofSeconds(1), Duration.ofSeconds(1)));

    @AfterEach
    void close() throws InterruptedException {
        listener.close();
    }

    @Test
    void hearsWhatOthersTell() {
        listener.start();
        await().atMost(PATIENCE).until(() -> listener.state() == ListenerState.CONNECTED);
        hears("mail");
    }

    /** Tells it until it is heard: a slow machine may have made the listener connect anew in between. */
    private void hears(String queue) {
        await().atMost(PATIENCE).until(() -> {
            publications.wake(List.of(queue));
            return heard.contains(queue);
        });
    }

    @Test
    void noticesThatItIsDeafAndConnectsAnew() throws Exception {
        listener.start();
        await().atMost(PATIENCE).until(() -> connects.get() > 0);
        int before = connects.get();
        try (Statement statement = current.get().createStatement()) {
            statement.execute("UNLISTEN *");
        }
        await().atMost(PATIENCE).until(() -> connects.get() > before);
        await().atMost(PATIENCE).until(() -> listener.state() == ListenerState.CONNECTED);
        hears("mail");
    }

    @Test
    void staysDeafUntilAProbeHasComeBack() throws Exception {
        Listener deaf = new Listener(
                database::connect,
                SCHEMA,
                probe -> CompletableFuture.completedFuture(probe),
                ear,
                new Listener.Timing(Duration.ofMillis(100), Duration.ofMillis(100)));
        deaf.start();
        try {
            await().atMost(PATIENCE).until(() -> deaf.state() == ListenerState.DEAF);
            int before = connects.get();
            await().atMost(PATIENCE).until(() -> connects.get() > before + 1);
            await().atMost(PATIENCE).during(Duration.ofMillis(300)).until(() -> deaf.state() == ListenerState.DEAF);
        } finally {
            deaf.close();
        }
    }

    static Stream<CompletableFuture<?>> probesThatAreNotSent() {
        return Stream.of(
                new CompletableFuture<>(), CompletableFuture.failedFuture(new IllegalStateException("no connection")));
    }

    @ParameterizedTest
    @MethodSource("probesThatAreNotSent")
    void hearsWhileProbesCannotBeSent(CompletableFuture<?> unsent) throws Exception {
        AtomicInteger probes = new AtomicInteger();
        Listener patient = new Listener(
                database::connect,
                SCHEMA,
                probe -> {
                    probes.incrementAndGet();
                    return unsent;
                },
                ear,
                new Listener.Timing(Duration.ofMillis(50), Duration.ofMillis(50)));
        patient.start();
        try {
            await().atMost(PATIENCE).until(() -> probes.get() > 0);
            await().during(Duration.ofMillis(300))
                    .atMost(PATIENCE)
                    .until(() -> patient.state() == ListenerState.CONNECTED);
            hears("mail");
            assertThat(connects).as("the same connection as ever").hasValue(1);
        } finally {
            patient.close();
        }
    }
}
