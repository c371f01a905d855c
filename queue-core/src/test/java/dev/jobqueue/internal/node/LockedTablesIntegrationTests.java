package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LockedTablesIntegrationTests {

    private final TestDatabase database = CheckedQueue.create();
    private final CountDownLatch handled = new CountDownLatch(1);

    /** A claimer that does not come back would make its node keep silent, and others run its jobs a second time. */
    @Test
    void doNotKeepTheClaimerForLong() throws Exception {
        try (LocalNode node = LocalNode.start(database, database.dataSource(), null, (payload, job) -> {
            handled.countDown();
            return null;
        })) {
            Loop claimer = node.worker().threads().get(0);
            assertThat(claimer.name()).isEqualTo("queue-claimer");
            awaiting().until(() -> claimer.state() == Loop.State.WAITING);
            try (Connection stranger = database.connect();
                    Statement statement = stranger.createStatement()) {
                stranger.setAutoCommit(false);
                statement.execute("LOCK TABLE queue.ready");
                node.worker().localWorker().wake(Set.of("default"));
                awaiting()
                        .untilAsserted(() -> assertThat(node.worker().outages().get("claim"))
                                .hasValueSatisfying(
                                        report -> assertThat(report.error()).contains("lock timeout")));
            }
            node.publish();
            assertThat(handled.await(60, TimeUnit.SECONDS)).isTrue();
            awaiting().until(() -> node.worker().outages().get("claim").isEmpty());
        }
    }
}
