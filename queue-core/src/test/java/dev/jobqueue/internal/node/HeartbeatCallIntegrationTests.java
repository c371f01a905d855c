package dev.jobqueue.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HeartbeatCallIntegrationTests {

    private static final int FEW = 2_000;
    private static final int MANY = 20_000;

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    /** Ten times as many jobs take about ten times as long; comparing each with each would take a hundred times. */
    @Test
    void waitsForUnknownJobsAsLongAsNodesDo() {
        assertThat(queue.one(
                        String.class,
                        "SELECT pg_get_function_arguments(oid) FROM pg_proc WHERE proname = 'heartbeat'"
                                + " AND pronamespace = 'queue'::regnamespace"))
                .contains("unknown_after interval DEFAULT '00:00:%02d'::interval"
                        .formatted(NodeCalls.Held.USUAL_PATIENCE.toSeconds()));
    }

    @Test
    void costsInProportionToTheJobsHeld() {
        long few = quickest(FEW);
        long many = quickest(MANY);

        assertThat((double) many / few).isLessThan(35);
    }

    /** A job that the worker does not know of: the beat gives it back, unless somebody holds it locked. */
    @Test
    void doesNotWaitForAJobThatSomebodyHoldsLocked() throws Exception {
        Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
        queue.workers.heartbeat(node, List.of());
        UUID unknown = held(node.id(), 1).get(0).id();
        try (Connection stranger = queue.database.connect();
                Statement statement = stranger.createStatement()) {
            stranger.setAutoCommit(false);
            statement.execute("SELECT FROM queue.job WHERE id = '" + unknown + "' FOR UPDATE");

            queue.workers.heartbeat(node, List.of());
            assertThat(queue.stateOf(unknown)).isEqualTo(JobState.RUNNING);
            stranger.rollback();
        }

        queue.workers.heartbeat(node, List.of());
        assertThat(queue.stateOf(unknown)).isEqualTo(JobState.PENDING);
    }

    private static long quickest(int count) {
        Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
        List<JobLease> held = held(node.id(), count);
        queue.workers.heartbeat(node, held);
        return IntStream.range(0, 4)
                .mapToLong(run -> {
                    long begin = System.nanoTime();
                    assertThat(queue.workers.heartbeat(node, held)).isEmpty();
                    return System.nanoTime() - begin;
                })
                .min()
                .orElseThrow();
    }

    /** Jobs that the worker claimed longer ago than the patience for unknown ones. */
    private static List<JobLease> held(UUID worker, int count) {
        queue.publications.publish(
                IntStream.range(0, count)
                        .mapToObj(i -> NewJobs.of(UUID.randomUUID(), "mail", "{}"))
                        .toList(),
                false);
        List<JobLease> claims =
                queue.claim(worker, count).stream().map(ClaimedJob::lease).toList();
        queue.claimedEarlierBy("1 hour");
        return claims;
    }
}
