package dev.jobqueue.internal.store.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.store.Claim;
import dev.jobqueue.internal.store.ClaimedJob;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A large claim goes on where those of other sessions are, and yet leaves nothing behind. */
class FollowingClaimIntegrationTests {

    private static final int LARGE = 200;

    private final TestDatabase database = Session.database();
    private Session claimer;
    private Session ahead;
    private Session other;

    @BeforeEach
    void open() throws SQLException {
        claimer = Session.open(database);
        ahead = Session.open(database);
        other = Session.open(database);
    }

    @AfterEach
    void close() throws SQLException {
        claimer.close();
        ahead.close();
        other.close();
    }

    @Test
    void doesNotWalkOverWhatOthersTook() throws Exception {
        store("default", 60_000);
        workInTurn();
        for (int i = 0; i < 10; i++) {
            ahead.claim(5_000);
        }

        long own = buffersOfAClaim(ahead);
        long following = buffersOfAClaim(claimer);

        assertThat(following).isLessThan(own * 5 / 4);
    }

    @Test
    void looksAtAllThatWasPutBackAlthoughOthersAreAhead() throws Exception {
        store("default", 6_000);
        workInTurn();
        List<Claim> taken =
                ahead.claim(3 * LARGE).stream().map(ClaimedJob::claim).toList();
        ahead.claim(LARGE);
        claimer.claim(LARGE);
        ahead.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
        ahead.number("SELECT count(*) FROM queue.rewind");

        assertThat(other.jobs.release(taken)).isEmpty();
        List<UUID> claimed = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            // does not see what was put back
            assertThat(ahead.claim(LARGE)).hasSize(LARGE);
            claimed.addAll(claimer.claimIds(LARGE));
        }
        ahead.execute("COMMIT");

        assertThat(claimed)
                .containsExactlyInAnyOrderElementsOf(
                        taken.stream().map(Claim::id).toList());
    }

    @Test
    void keepsQueuesApart() throws Exception {
        store("default", 6_000);
        store("later", 6_000);
        other.execute("UPDATE queue.job SET run_at = run_at + interval '1 hour' WHERE queue = 'later'");
        workInTurn();
        for (int i = 0; i < 4; i++) {
            assertThat(claimOf(ahead, "later")).hasSize(LARGE);
            Thread.sleep(20);
            List<UUID> first = other.column("SELECT id FROM queue.job WHERE queue = 'default' AND state = 'PENDING'"
                    + " ORDER BY run_at LIMIT " + LARGE);

            assertThat(claimOf(claimer, "default")).containsExactlyInAnyOrderElementsOf(first);
        }
    }

    @Test
    void leavesWhatWasRolledBackToANewSession() throws Exception {
        store("default", 6_000);
        workInTurn();
        ahead.execute("BEGIN");
        List<UUID> rolledBack = ahead.claimIds(LARGE);
        ahead.execute("ROLLBACK");

        // others have gone on, until they walk from the start again: at the place, and not behind it
        assertThat(claimer.claimIds(LARGE)).startsWith(rolledBack.get(LARGE - 1));
        try (Session fresh = Session.open(database)) {
            assertThat(fresh.claimIds(LARGE - 1)).containsExactlyElementsOf(rolledBack.subList(0, LARGE - 1));
        }
    }

    private void store(String queue, int jobs) throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute(
                    "INSERT INTO queue.job (id, queue, type, run_at, payload) SELECT gen_random_uuid(), ?, 'test',"
                            + " now() - interval '1 day' + i * interval '1 ms', '{}' FROM generate_series(1, ?) AS i",
                    queue,
                    jobs);
            session.execute("ANALYZE queue.job");
        }
    }

    /** Some claims later, each session trusts that nothing older can turn up, and has seen the other one's place. */
    private void workInTurn() throws InterruptedException {
        for (int i = 0; i < 4; i++) {
            assertThat(ahead.claim(LARGE)).hasSize(LARGE);
            assertThat(claimer.claim(LARGE)).hasSize(LARGE);
            Thread.sleep(20);
        }
    }

    private static List<UUID> claimOf(Session session, String queue) {
        return session.jobs.claim(session.workerId(), Map.of(queue, LARGE), null).stream()
                .map(job -> job.claim().id())
                .toList();
    }

    private static long buffersOfAClaim(Session session) throws SQLException {
        return session.buffers(
                "SELECT count(*) FROM queue.claim(?, '{default}', ARRAY[?::int])", session.workerId(), LARGE);
    }
}
