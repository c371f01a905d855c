package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A job whose worker stops while it runs, again and again: it may be what stops them. */
@ExtendWith(OutputCaptureExtension.class)
class InterruptedJobIntegrationTests {

    /** Three attempts by default, and three more. */
    private static final int MOST = 6;

    private static final TestDatabase database = CheckedQueue.create();

    private final JdbcClient client = JdbcClient.create(database.dataSource());

    @Test
    void isDeadAfterAWhileAndTellsWhy(CapturedOutput output) {
        UUID id = null;
        for (int time = 1; time <= MOST; time++) {
            CountDownLatch begun = new CountDownLatch(1);
            try (LocalNode node = LocalNode.start(database, database.dataSource(), null, (payload, job) -> {
                begun.countDown();
                Thread.sleep(3_600_000);
                return null;
            })) {
                if (id == null) {
                    id = node.publish();
                }
                awaiting().until(() -> begun.getCount() == 0);
            }
        }
        assertThat(client.sql("SELECT reason FROM queue.dead_letter WHERE id = ?")
                        .param(id)
                        .query(String.class)
                        .list())
                .containsExactly("it was running when its worker stopped, 6 times");
        assertThat(output).contains("is dead: its worker stopped while it was running, too many times");
    }
}
