package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Epochs come and go with the work; what commits late or comes back must be claimed all the same. */
class LateCommitIntegrationTests {

    private static final TestDatabase database = Session.database();

    private Session claimer;
    private Session publisher;
    private Session other;

    @BeforeEach
    void work() throws SQLException {
        claimer = Session.open(database);
        publisher = Session.open(database);
        other = Session.open(database);
        other.execute("TRUNCATE queue.job, queue.ready, queue.scheduled, queue.lease");
        workFor(Duration.ofMillis(100));
    }

    @AfterEach
    void close() throws SQLException {
        Places.audit(database);
        claimer.close();
        publisher.close();
        other.close();
    }

    @Nested
    class WhenATransactionCommitsLate {

        @ParameterizedTest
        @ValueSource(ints = {200, 3_200})
        void claimsItsJobsAtOnce(int millis) throws SQLException {
            publisher.execute("BEGIN");
            UUID late = publisher.publish();
            workFor(Duration.ofMillis(millis));
            UUID later = publisher.publish();
            workFor(Duration.ofMillis(50));
            publisher.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(late, later);
        }

        @Test
        void claimsTheJobsOfSeveralThatOverlap() throws SQLException {
            publisher.execute("BEGIN");
            other.execute("BEGIN");
            UUID first = publisher.publish();
            workFor(Duration.ofMillis(1_300));
            UUID second = other.publish();
            workFor(Duration.ofMillis(1_300));
            publisher.execute("COMMIT");
            assertThat(nextTwoClaims()).contains(first);

            UUID third = other.publish();
            workFor(Duration.ofMillis(300));
            other.execute("COMMIT");
            assertThat(nextTwoClaims()).contains(second, third);
        }

        @Test
        void claimsAJobThatWasPublishedUnderASavepoint() throws SQLException {
            publisher.execute("BEGIN");
            publisher.execute("SAVEPOINT s");
            UUID late = publisher.publish();
            workFor(Duration.ofMillis(200));
            publisher.execute("RELEASE SAVEPOINT s");
            publisher.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(late);
        }

        @Test
        void claimsAJobWhoseTransactionBeganLongBeforeItPublished() throws SQLException {
            publisher.execute("BEGIN");
            publisher.execute("SELECT pg_current_xact_id()");
            workFor(Duration.ofMillis(1_300));
            UUID late = publisher.publish();
            workFor(Duration.ofMillis(200));
            publisher.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(late);
        }

        @Test
        void neverShowsAJobThatWasRolledBack() throws SQLException {
            publisher.execute("BEGIN");
            UUID late = publisher.publish();
            workFor(Duration.ofMillis(100));
            publisher.execute("ROLLBACK");
            UUID kept = publisher.publish();

            assertThat(nextTwoClaims()).contains(kept).doesNotContain(late);
        }

        @Test
        void claimsAJobWithAnExplicitRunAtInThePast() throws SQLException {
            publisher.execute("BEGIN");
            UUID late = publishAt(publisher, Instant.now().minus(Duration.ofHours(1)));
            workFor(Duration.ofMillis(200));
            publisher.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(late);
        }
    }

    @Nested
    class WhenAJobComesBack {

        @Test
        void claimsItAfterARelease() throws SQLException {
            JobLease lease = claimOne();
            workFor(Duration.ofMillis(100));
            other.execute("BEGIN");
            assertThat(other.settlements.release(List.of(lease))).isEmpty();
            workFor(Duration.ofMillis(200));
            other.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(lease.id());
        }

        @Test
        void claimsItAfterARescue() throws SQLException {
            other.becomeAnotherWorker();
            publisher.publish();
            JobLease lease = other.claim(1).get(0).lease();
            workFor(Duration.ofMillis(100));
            publisher.execute(
                    "UPDATE queue.worker SET beat_at = now() - interval '1 hour' WHERE id = ?", other.workerId());
            other.execute("BEGIN");
            assertThat(other.upkeep
                            .rescue(Duration.ofMinutes(1), Duration.ZERO, 10)
                            .jobs())
                    .hasSize(1);
            workFor(Duration.ofMillis(100));
            other.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(lease.id());
        }

        @Test
        void claimsItAfterAReplay() throws SQLException {
            JobLease lease = claimOne();
            other.settlements.failAll(List.of(new SettleCalls.Failure(lease, "broken", false)));
            workFor(Duration.ofMillis(100));
            other.execute("BEGIN");
            other.operations.replay(lease.id());
            workFor(Duration.ofMillis(200));
            other.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(lease.id());
        }

        @Test
        void claimsItAfterALatePromotion() throws SQLException {
            UUID scheduled = publishAt(publisher, Instant.now().plus(Duration.ofHours(1)));
            for (String table : List.of("job", "scheduled")) {
                publisher.execute(
                        "UPDATE queue.%s SET run_at = run_at - interval '1 hour' WHERE id = ?".formatted(table),
                        scheduled);
            }
            workFor(Duration.ofMillis(200));
            other.execute("BEGIN");
            other.upkeep.promote(10);
            workFor(Duration.ofMillis(200));
            other.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(scheduled);
        }
    }

    @Nested
    class WhenAnotherPriorityAppears {

        @ParameterizedTest
        @ValueSource(ints = {100, -100, Integer.MAX_VALUE, Integer.MIN_VALUE})
        void claimsItsJobs(int priority) throws SQLException {
            UUID fresh = publish(priority);
            publisher.publish(3);

            List<UUID> claimed = claimer.claimIds(10);

            assertThat(claimed).hasSize(4);
            assertThat(claimed.get(priority > 0 ? 0 : 3)).isEqualTo(fresh);
        }

        @ParameterizedTest
        @ValueSource(ints = {100, -100})
        void claimsItsJobsWhenTheyCommitLate(int priority) throws SQLException {
            publisher.execute("BEGIN");
            UUID late = publish(priority);
            workFor(Duration.ofMillis(200));
            publisher.execute("COMMIT");

            assertThat(nextTwoClaims()).contains(late);
        }

        @Test
        void meetsEachOfManyPriorities() throws SQLException {
            List<UUID> all = new ArrayList<>();
            for (int priority = -30; priority < 30; priority += 3) {
                all.add(publish(priority));
                complete(claimer.claim(1));
                all.add(publish(priority));
            }
            for (List<ClaimedJob> batch = claimer.claim(3); !batch.isEmpty(); batch = claimer.claim(3)) {
                complete(batch);
            }
            assertThat(claimer.number("SELECT count(*) FROM queue.live_job")).isZero();
            assertThat(all).doesNotHaveDuplicates();
        }
    }

    /** Publishes, claims, completes and begins new epochs for so long, whatever else is open. */
    private void workFor(Duration howLong) throws SQLException {
        long end = System.nanoTime() + howLong.toNanos();
        try (Session busy = Session.open(database)) {
            do {
                List<UUID> published = busy.publish(3);
                List<ClaimedJob> claimed = claimer.claim(10);
                assertThat(claimed).extracting(job -> job.lease().id()).containsExactlyInAnyOrderElementsOf(published);
                complete(claimed);
                busy.execute("SELECT queue.internal_advance(hashtextextended('default', 0), NULL, true)");
            } while (System.nanoTime() < end);
        }
    }

    private void complete(List<ClaimedJob> claimed) {
        assertThat(claimer.complete(claimed.stream().map(ClaimedJob::lease).toList()))
                .isEmpty();
    }

    private List<UUID> nextTwoClaims() {
        List<UUID> claimed = new ArrayList<>(claimer.claimIds(10));
        claimed.addAll(claimer.claimIds(10));
        return claimed;
    }

    private JobLease claimOne() {
        publisher.publish();
        return claimer.claim(1).get(0).lease();
    }

    private UUID publish(int priority) {
        return publish(publisher, priority, null);
    }

    private static UUID publishAt(Session session, Instant runAt) {
        return publish(session, 0, runAt);
    }

    private static UUID publish(Session session, int priority, Instant runAt) {
        NewJob job = NewJobs.with(Uuids.next(), "test", "{}")
                .priority(priority)
                .runAt(runAt)
                .build();
        return session.publications.publish(List.of(job), false).get(0);
    }
}
