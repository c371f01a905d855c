package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.node.NodeStatus.ListenerState;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ReconnectIntegrationTests {

    private final TestDatabase database = CheckedQueue.create();
    private final AtomicReference<Connection> current = new AtomicReference<>();
    private final Semaphore ways = new Semaphore(1);

    @Test
    void isFollowedByAClaimOfWhatWasMissedMeanwhile() throws SQLException {
        AtomicInteger handled = new AtomicInteger();
        try (LocalNode node = LocalNode.start(
                database, database.dataSource(), this::connect, (payload, job) -> handled.incrementAndGet())) {
            current.get().close();
            awaiting().until(() -> node.worker().status().listener() == ListenerState.DISCONNECTED);
            node.publishElsewhere();
            ways.release();
            awaiting().until(() -> handled.get() == 1);
        }
    }

    private Connection connect() throws SQLException {
        ways.acquireUninterruptibly();
        current.set(database.connect());
        return current.get();
    }
}
