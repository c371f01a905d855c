package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Each way on which a cancellation reaches a running handler, alone. */
class CancellationIntegrationTests {

    private static final TestDatabase database = CheckedQueue.create();

    private static final int MANY = 2_000;
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration POLL = Duration.ofMillis(5);

    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger cancelled = new AtomicInteger();
    private final AtomicInteger beats = new AtomicInteger();
    private final DataSource pool = new DelegatingDataSource(database.dataSource()) {
        @Override
        public Connection getConnection() throws SQLException {
            if (Thread.currentThread().getName().startsWith("queue-heartbeat")) {
                beats.incrementAndGet();
            }
            return super.getConnection();
        }
    };
    private @Nullable LocalNode node;

    @AfterEach
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    /** The next beat would come after two seconds: one try of a few is much quicker, even on a crowded machine. */
    @Test
    void comesSoonByNotification() {
        LocalNode running = run(database::connect);
        assertThat(IntStream.range(0, 5).anyMatch(each -> isCancelledBeforeTheNextBeat(running)))
                .isTrue();
    }

    private boolean isCancelledBeforeTheNextBeat(LocalNode running) {
        int before = cancelled.get();
        UUID id = begin(running);
        int beat = beats.get();
        awaiting().pollInterval(POLL).until(() -> beats.get() > beat);
        long asked = System.nanoTime();
        assertThat(running.operations().cancel(id)).isEqualTo(JobState.RUNNING);
        awaiting().pollInterval(POLL).until(() -> cancelled.get() > before);
        return System.nanoTime() - asked < SOON.toNanos();
    }

    @Test
    void needsMoreThanANotificationThatAnybodyMaySend() {
        LocalNode running = run(database::connect);
        UUID id = begin(running);
        int beat = beats.get();
        pretend(id, 1);
        awaiting().until(() -> beats.get() > beat + 1);
        assertThat(cancelled).hasValue(0);
        running.operations().cancel(id);
        awaiting().until(() -> cancelled.get() == 1);
    }

    @Test
    void isAskedForOnceForManyNotifications() {
        LocalNode running = run(database::connect);
        UUID id = begin(running);
        int before = beats.get();
        pretend(id, MANY);
        assertThat(beats.get() - before).isLessThan(MANY / 10);
        running.operations().cancel(id);
        awaiting().until(() -> cancelled.get() == 1);
    }

    /** Notifications that no call of cancel has sent: every role that may connect can send them. */
    private static void pretend(UUID id, int times) {
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            for (int time = 0; time < times; time++) {
                statement.execute("NOTIFY queue, 'cancel:" + id + "'");
            }
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void comesToAWorkerWhoseListenerIsDeafAndDoesNotKnow() {
        LocalNode running = run(() -> deaf(database.connect()));
        running.operations().cancel(begin(running));
        awaiting().until(() -> cancelled.get() == 1);
        assertThat(running.worker().isListening()).isTrue();
    }

    @Test
    void comesToAWorkerWithoutAListener() {
        LocalNode running = run(null);
        running.operations().cancel(begin(running));
        awaiting().until(() -> cancelled.get() == 1);
    }

    private LocalNode run(@Nullable ConnectionFactory connections) {
        node = LocalNode.start(database, pool, connections, (payload, job) -> sleep(job));
        return node;
    }

    private UUID begin(LocalNode running) {
        int before = begun.get();
        UUID id = running.publish();
        awaiting().until(() -> begun.get() > before);
        return id;
    }

    private @Nullable Object sleep(JobContext job) throws InterruptedException {
        begun.incrementAndGet();
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException ex) {
            if (job.isCancelled()) {
                cancelled.incrementAndGet();
            }
            throw ex;
        }
        return null;
    }

    /** As behind a pooler: LISTEN succeeds, and then nothing is ever heard. */
    private static Connection deaf(Connection connection) {
        return (Connection) Proxy.newProxyInstance(
                Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    try {
                        if (method.getName().equals("unwrap")) {
                            try (Statement statement = connection.createStatement()) {
                                statement.execute("UNLISTEN *");
                            }
                        }
                        return method.invoke(connection, arguments);
                    } catch (InvocationTargetException ex) {
                        throw ex.getTargetException();
                    }
                });
    }
}
