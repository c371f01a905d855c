package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DirectLeasesIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    private final UUID worker = UUID.randomUUID();

    @BeforeEach
    void register() {
        queue.reset();
        queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());
    }

    @AfterEach
    void audit() throws SQLException {
        queue.audit();
    }

    @Test
    void areConfirmedOnceAndThenLikeThoseOfAClaim() {
        UUID id = publish(-7L);
        assertThat(queue.stateOf(id)).isEqualTo(JobState.RUNNING);
        assertThat(queue.claim(UUID.randomUUID(), 10)).isEmpty();

        List<ClaimedJob> confirmed = queue.claims.confirm(worker, List.of(-7L));

        assertThat(confirmed).extracting(job -> job.lease().id()).containsExactly(id);
        assertThat(queue.claims.confirm(worker, List.of(-7L))).isEmpty();
        queue.settlements.complete(confirmed.get(0).lease(), null);
        assertThat(queue.history(id)).containsEntry("attempt", 1).containsEntry("worker_id", worker);
    }

    @Test
    void holdOnlyTheJobsThatHaveOne() {
        List<UUID> ids = queue.publications.publish(
                List.of(job(), job(), job()), false, new DirectLeases(worker, Arrays.asList(-7L, null, -7L), Map.of()));

        assertThat(ids)
                .extracting(queue::stateOf)
                .containsExactly(JobState.RUNNING, JobState.PENDING, JobState.RUNNING);
        assertThat(queue.claims.confirm(worker, List.of(-7L)))
                .extracting(job -> job.lease().id())
                .containsExactly(ids.get(0), ids.get(2));
    }

    /** Java gives out no more for one lease than a claim puts into one. */
    @Test
    void areForAsManyJobsAsALeaseOfAClaimHolds() {
        for (int i = 0; i < 2 * DirectJobs.MAX_JOBS; i++) {
            queue.publish();
        }
        List<ClaimedJob> claimed = queue.claim(worker, 2 * DirectJobs.MAX_JOBS);
        assertThat(queue.one(Integer.class, "SELECT max(cardinality(ids)) FROM queue.lease"))
                .isEqualTo(DirectJobs.MAX_JOBS);
        queue.settlements.release(claimed.stream().map(ClaimedJob::lease).toList());
    }

    @Test
    void areNotConfirmedToAnotherWorker() {
        UUID id = publish(-7L);

        assertThat(queue.claims.confirm(UUID.randomUUID(), List.of(-7L))).isEmpty();
        assertThat(queue.stateOf(id)).isEqualTo(JobState.RUNNING);
    }

    @Test
    void giveTheirJobsBackWhereTheQueueIsPaused() {
        UUID id = publish(-7L);
        queue.call("pause('default')");

        assertThat(queue.claims.confirm(worker, List.of(-7L))).isEmpty();

        assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
    }

    @Test
    void areNotGivenInAQueueThatIsPaused() {
        queue.call("pause('default')");

        assertThat(queue.stateOf(publish(-7L))).isEqualTo(JobState.PENDING);
        assertThat(queue.claims.confirm(worker, List.of(-7L))).isEmpty();
    }

    @Test
    void costNoAttemptWhenTheWorkerVanishesBeforeItConfirmed() {
        UUID id = publish(-7L);
        queue.silenceWorkers();
        queue.call("rescue()");

        assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("attempt", 0);
        queue.refuses(LeaseLostException.class, () -> queue.claims.confirm(worker, List.of(-7L)));
    }

    @Test
    void costAnAttemptWhenTheWorkerVanishesAfterwards() {
        UUID id = publish(-7L);
        JobLease lease = queue.claims.confirm(worker, List.of(-7L)).get(0).lease();
        queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of(lease));
        queue.silenceWorkers();
        queue.call("rescue()");

        assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("attempt", 1);
    }

    @Test
    void giveTheirJobsBackWhenTheWorkerLeaves() {
        UUID id = publish(-7L);

        queue.workers.unregister(worker);

        assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
    }

    /** A caller's transaction that stayed open: by the next beat at the latest, the job is where others find it. */
    @Test
    void giveTheirJobsBackWithABeatOfAWorkerThatForgotThem() {
        UUID id = publish(-7L);
        queue.execute("UPDATE queue.lease SET claimed_at = claimed_at - interval '1 hour'");

        queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());

        assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("attempt", 0);
        assertThat(queue.claims.confirm(worker, List.of(-7L))).isEmpty();
    }

    /** A beat gave the first job back, while somebody held the second one locked, and it runs elsewhere by now. */
    @Test
    void bringNoJobThatWasTakenFromTheWorkerMeanwhile() throws SQLException {
        List<UUID> ids = queue.publications.publish(
                List.of(job(), job()), false, new DirectLeases(worker, List.of(-7L, -7L), Map.of()));
        queue.execute("UPDATE queue.lease SET claimed_at = claimed_at - interval '1 hour'");
        try (Connection stranger = queue.database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("SELECT FROM queue.job WHERE id = '%s' FOR UPDATE".formatted(ids.get(1)));
            queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());
            stranger.rollback();
        }
        assertThat(queue.claim(UUID.randomUUID(), 2))
                .extracting(job -> job.lease().id())
                .containsExactly(ids.get(0));

        assertThat(queue.claims.confirm(worker, List.of(-7L)))
                .extracting(job -> job.lease().id())
                .containsExactly(ids.get(1));
    }

    @Test
    void bringAJobThatSomebodyElseCancelsInAnOpenTransaction() throws SQLException {
        UUID id = publish(-7L);

        whileAStrangerRuns(
                "SELECT queue.cancel('%s')".formatted(id),
                () -> assertThat(confirmed(-7L)).containsExactly(id));
    }

    @Test
    void doNotWaitForOneThatSomebodyElseHoldsLocked() throws SQLException {
        UUID locked = publish(-7L);
        UUID free = publish(-8L);

        whileAStrangerRuns(
                "SELECT FROM queue.lease WHERE number = -7 FOR UPDATE",
                () -> assertThat(confirmed(-7L, -8L)).containsExactly(free));
        queue.execute("UPDATE queue.lease SET claimed_at = claimed_at - interval '1 hour' WHERE number = -7");
        queue.workers.heartbeat(new Registration(worker, null, null, null, null, null), List.of());

        assertThat(queue.job(locked)).containsEntry("state", "PENDING").containsEntry("attempt", 0);
    }

    @Test
    void doNotWaitForALockedJobOfAPausedQueueAndDoNotBringIt() throws SQLException {
        UUID locked = publish(-7L);
        UUID free = publish(-8L);
        queue.call("pause('default')");

        whileAStrangerRuns(
                "SELECT queue.cancel('%s')".formatted(locked),
                () -> assertThat(confirmed(-7L, -8L)).isEmpty());

        assertThat(queue.stateOf(free)).isEqualTo(JobState.PENDING);
        assertThat(queue.stateOf(locked)).isEqualTo(JobState.RUNNING);
    }

    @Test
    void doNotKeepAWorkerFromLeavingThatSomebodyElseHoldsLocked() throws SQLException {
        UUID id = publish(-7L);

        whileAStrangerRuns(
                "SELECT queue.cancel('%s')".formatted(id),
                () -> queue.refuses(InvalidJobException.class, () -> queue.workers.unregister(worker))
                        .hasMessageContaining("must hold no running jobs"));
    }

    @Test
    void giveNoJobBackTwice() throws SQLException {
        List<UUID> ids = queue.publications.publish(
                List.of(job(), job()), false, new DirectLeases(worker, List.of(-7L, -7L), Map.of()));
        queue.silenceWorkers();
        try (Connection stranger = queue.database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("SELECT FROM queue.job WHERE id = '%s' FOR UPDATE".formatted(ids.get(1)));
            queue.call("rescue()");
            stranger.rollback();
        }

        queue.workers.unregister(worker);

        assertThat(queue.claim(UUID.randomUUID(), 10))
                .extracting(job -> job.lease().id())
                .containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void leaveNothingOfASavepointThatWasRolledBack() {
        queue.execute("BEGIN");
        queue.execute("SAVEPOINT before");
        publish(-7L);
        queue.execute("ROLLBACK TO before");
        UUID kept = publish(-8L);
        queue.execute("COMMIT");

        assertThat(queue.claims.confirm(worker, List.of(-7L, -8L)))
                .extracting(job -> job.lease().id())
                .containsExactly(kept);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "leases => '{7}', given_ids => false, worker_id => gen_random_uuid()",
                "leases => '{-7}', given_ids => false",
                "leases => '{-7}', given_ids => false, worker_id => gen_random_uuid(), delays_ms => '{1000}'",
                "leases => '{-7}', given_ids => false, worker_id => gen_random_uuid(), unique_keys => '{k}'",
                "leases => '{-7}', worker_id => gen_random_uuid()"
            })
    void areRefusedForJobsThatHaveToWait(String further) {
        queue.refuses(
                        InvalidJobException.class,
                        () -> queue.call(
                                "publish_many(ids => ARRAY[gen_random_uuid()], types => '{mail}', payloads => '{1}', "
                                        + further + ")"))
                .hasMessageContaining("leases is");
    }

    /** Rolls the stranger back afterwards. A call that waits for it fails, instead of waiting for ever. */
    private static void whileAStrangerRuns(String sql, Runnable calls) throws SQLException {
        try (Connection stranger = queue.database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute(sql);
            queue.execute("SET lock_timeout = '2s'");
            calls.run();
        } finally {
            queue.execute("RESET lock_timeout");
        }
    }

    private List<UUID> confirmed(Long... leases) {
        return queue.claims.confirm(worker, List.of(leases)).stream()
                .map(job -> job.lease().id())
                .toList();
    }

    private UUID publish(long lease) {
        return queue.publications
                .publish(List.of(job()), false, new DirectLeases(worker, List.of(lease), Map.of()))
                .get(0);
    }

    private static NewJob job() {
        return NewJobs.of(UUID.randomUUID(), "mail", "{}");
    }
}
