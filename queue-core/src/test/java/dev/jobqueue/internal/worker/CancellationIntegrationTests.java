package dev.jobqueue.internal.worker;

import static dev.jobqueue.internal.worker.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Each way on which a cancellation reaches a running handler, alone. */
class CancellationIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch cancelled = new CountDownLatch(1);
    private final FaultyPool pool = new FaultyPool(database.dataSource());
    private @Nullable LocalNode node;

    @BeforeAll
    static void migrate() {
        LocalNode.migrate(database);
    }

    @AfterEach
    void stop() {
        pool.repair();
        if (node != null) {
            node.close();
        }
    }

    @Test
    void comesByNotificationWithoutAnyCallOfTheWorker() {
        LocalNode running = run(database::connect);
        UUID id = running.publish();
        awaiting().until(() -> begun.getCount() == 0);
        pool.cut();
        assertThat(running.operations().cancel(id)).isEqualTo(JobState.RUNNING);
        awaiting().until(() -> cancelled.getCount() == 0);
    }

    @Test
    void comesToAWorkerWhoseListenerIsDeafAndDoesNotKnow() {
        LocalNode running = run(() -> deaf(database.connect()));
        UUID id = running.publish();
        awaiting().until(() -> begun.getCount() == 0);
        running.operations().cancel(id);
        awaiting().until(() -> cancelled.getCount() == 0);
        assertThat(running.worker().isListening()).isTrue();
    }

    @Test
    void comesToAWorkerWithoutAListener() {
        LocalNode running = run(null);
        UUID id = running.publish();
        awaiting().until(() -> begun.getCount() == 0);
        running.operations().cancel(id);
        awaiting().until(() -> cancelled.getCount() == 0);
    }

    private LocalNode run(@Nullable ConnectionFactory connections) {
        node = LocalNode.start(database, pool, connections, (payload, job) -> sleep(job));
        return node;
    }

    private @Nullable Object sleep(JobContext job) throws InterruptedException {
        begun.countDown();
        try {
            Thread.sleep(3_600_000);
        } catch (InterruptedException ex) {
            if (job.isCancelled()) {
                cancelled.countDown();
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
