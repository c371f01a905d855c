package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Places;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** Every function at once, from all sides, on the same jobs; then the books are checked. */
@TestInstance(Lifecycle.PER_CLASS)
class MixedLoadIntegrationTests {

    private static final Duration HOW_LONG = Duration.ofSeconds(5);
    private static final Duration AT_MOST = Duration.ofSeconds(60);

    /** What must have happened at least once, or else the load was none. */
    private static final Set<String> OUTCOMES = Set.of(
            "completed",
            "failed to SCHEDULED",
            "failed to DEAD",
            "snoozed",
            "touched",
            "promoted",
            "rescued",
            "declared dead",
            "cancelled",
            "cancelled by its worker",
            "stopped by a beat",
            "failed to CANCELLED",
            "NEW",
            "EXISTING",
            "REPLACED",
            "refused");

    private final TestDatabase database = Session.database();
    private final SharedWork work = new SharedWork();

    @BeforeAll
    void doEverythingAtOnce() throws Exception {
        try (Session session = Session.open(database)) {
            // Back at once after a failure, so that jobs go round in circles.
            RetryPolicy policy = new RetryPolicy(3, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0);
            session.operations.setRetryPolicy("test", policy, Duration.ofMillis(500));
            work.publish(session, 500);
        }
        long start = System.nanoTime();
        Race.run(database, 8, (session, number) -> {
            Turmoil turmoil = new Turmoil(session, work, number);
            while (isTooEarly(Duration.ofNanos(System.nanoTime() - start))) {
                turmoil.doSomething();
            }
            return number;
        });
    }

    private boolean isTooEarly(Duration elapsed) {
        return elapsed.compareTo(sawEverything() ? HOW_LONG : AT_MOST) < 0;
    }

    private boolean sawEverything() {
        Set<String> seen = work.counts().keySet();
        return seen.containsAll(Turmoil.KINDS) && seen.containsAll(OUTCOMES);
    }

    @Test
    void meetsNoDeadlockAndNoOtherSurprise() {
        assertThat(work.surprises()).isEmpty();
    }

    @Test
    void didEverythingThatCanBeDone() {
        assertThat(work.counts()).containsKeys(Turmoil.KINDS.toArray(String[]::new));
        assertThat(work.counts()).containsKeys(OUTCOMES.toArray(String[]::new));
    }

    @Test
    void losesNoJobAndDoublesNone() throws SQLException {
        try (Session session = Session.open(database)) {
            List<UUID> found = session.column("SELECT id FROM queue.live_job UNION ALL SELECT id FROM queue.job_history"
                    + " UNION ALL SELECT id FROM queue.dead_letter");
            assertThat(found).doesNotHaveDuplicates();
            Set<UUID> all = new HashSet<>(found);
            assertThat(all).isEqualTo(work.published());
        }
    }

    @Test
    void leavesEachLiveJobInOnePlace() throws SQLException {
        Places.audit(database);
    }

    @Test
    void leavesNoStepOrEventBehindWithoutItsJob() throws SQLException {
        try (Session session = Session.open(database)) {
            assertThat(session.number("SELECT count(*) FROM ("
                            + "SELECT job_id FROM queue.job_step UNION SELECT job_id FROM queue.job_event) AS s"
                            + " WHERE job_id NOT IN (SELECT id FROM queue.live_job UNION ALL SELECT id FROM"
                            + " queue.job_history"
                            + " UNION ALL SELECT id FROM queue.dead_letter)"))
                    .isZero();
        }
    }

    @Test
    void countsAttemptsWithinTheirBounds() throws SQLException {
        try (Session session = Session.open(database)) {
            assertThat(session.number("SELECT count(*) FROM (SELECT attempt, max_attempts FROM queue.live_job"
                            + " UNION ALL SELECT attempt, max_attempts FROM queue.job_history) AS j"
                            + " WHERE attempt NOT BETWEEN 0 AND max_attempts"))
                    .isZero();
        }
    }

    @Test
    void knowsOfEachJobWhetherItHasStepsAndEvents() throws SQLException {
        try (Session session = Session.open(database)) {
            assertThat(session.number("SELECT count(*) FROM ("
                            + "SELECT id, steps, events FROM queue.live_job"
                            + " UNION ALL SELECT id, steps, events FROM queue.job_history"
                            + " UNION ALL SELECT id, steps, events FROM queue.dead_letter) AS j"
                            + " WHERE coalesce(steps > 0, false)"
                            + " <> EXISTS (SELECT FROM queue.job_step s WHERE s.job_id = j.id)"
                            + " OR coalesce(events, 0)"
                            + " <> (SELECT count(*) FROM queue.job_event e WHERE e.job_id = j.id)"))
                    .isZero();
        }
    }
}
