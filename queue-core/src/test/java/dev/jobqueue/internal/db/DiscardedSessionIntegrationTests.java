package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Poolers reset a session between two calls: nothing may depend on what an earlier call left in it. */
class DiscardedSessionIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    /** More rounds than a statement has to be executed before the driver prepares it on the server. */
    @Test
    void publishesClaimsReportsBeatsAndCompletes() throws SQLException {
        Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
        for (int round = 0; round < 12; round++) {
            UUID id = queue.publish();
            discard();
            List<ClaimedJob> claimed = queue.claim(node.id(), 10);
            discard();
            assertThat(claimed).extracting(job -> job.lease().id()).containsExactly(id);
            JobLease lease = claimed.get(0).lease();
            queue.reports.progress(lease, 50, "half");
            discard();
            assertThat(queue.workers.heartbeat(node, List.of(lease))).isEmpty();
            discard();
            // Another epoch from now on.
            queue.call("internal_advance(hashtextextended('default', 0), NULL, true)");
            discard();
            queue.settlements.complete(lease, null);
            discard();
            assertThat(queue.stateOf(id)).isEqualTo(JobState.COMPLETED);
        }
        queue.audit();
    }

    private static void discard() {
        queue.execute("DISCARD ALL");
    }
}
