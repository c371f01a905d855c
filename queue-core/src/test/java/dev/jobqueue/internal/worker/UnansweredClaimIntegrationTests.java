package dev.jobqueue.internal.worker;

import static dev.jobqueue.internal.worker.LocalNode.awaiting;

import dev.jobqueue.postgres.TestDatabase;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class UnansweredClaimIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();

    @BeforeAll
    static void migrate() {
        LocalNode.migrate(database);
    }

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
}
