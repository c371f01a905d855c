package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.node.NodeCalls.Held;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class UnansweredClaimIntegrationTests {

    private static final TestDatabase database = CheckedQueue.create();

    @Test
    void isGivenBackAndMadeAgainBeforeTheNextOrdinaryBeat() {
        FaultyPool pool = new FaultyPool(database.dataSource());
        AtomicInteger handled = new AtomicInteger();
        try (LocalNode node =
                LocalNode.start(database, pool, database::connect, (payload, job) -> handled.incrementAndGet())) {
            pool.loseAnswers("claim", 1);
            node.publish();
            awaiting().until(() -> pool.unanswered() == 0);
            awaiting().until(() -> handled.get() == 1);
        }
    }

    /** Jobs that begin while a beat waits for a connection are known, and must not be given back. */
    @Test
    void isLookedForWhenTheBeatHasItsConnection() throws Exception {
        FaultyPool pool = new FaultyPool(database.dataSource());
        NodeCalls workers = new NodeCalls(Sql.apart(pool, new Schema("queue")));
        Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
        AtomicBoolean asked = new AtomicBoolean();
        pool.exhaust();
        CompletableFuture<Void> beat = CompletableFuture.runAsync(() -> workers.heartbeat(node, () -> {
            asked.set(true);
            return new Held(List.of(), Held.USUAL_PATIENCE);
        }));
        awaiting().until(() -> pool.waiters() == 1);
        assertThat(asked).isFalse();
        pool.repair();
        beat.get(60, TimeUnit.SECONDS);
        assertThat(asked).isTrue();
    }
}
