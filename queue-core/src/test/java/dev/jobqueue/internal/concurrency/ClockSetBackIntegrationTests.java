package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescued;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The clock of the server is set back by ten minutes. The functions of the queue see another clock here: one that
 * stands in the schema and is found before that of PostgreSQL.
 */
class ClockSetBackIntegrationTests {

    private static final Duration TTL = Duration.ofSeconds(20);

    private final QueueFixture queue = new QueueFixture();
    private final Registration worker = new Registration(UUID.randomUUID(), "host", 1, "1", null, null);

    @BeforeEach
    void replaceTheClock() {
        queue.execute("CREATE TABLE public.clock AS SELECT interval '0' AS ahead");
        queue.execute("CREATE FUNCTION queue.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE AS"
                + " 'SELECT pg_catalog.clock_timestamp() + (SELECT ahead FROM public.clock)'");
        queue.list(
                        String.class,
                        "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = 'queue'::regnamespace"
                                + " AND proname <> 'clock_timestamp'")
                .forEach(function -> queue.execute(
                        "ALTER FUNCTION %s SET search_path = queue, pg_catalog, pg_temp".formatted(function)));
        queue.execute("SET search_path = queue, pg_catalog");
    }

    @AfterEach
    void eachJobStandsInOnePlace() throws SQLException {
        queue.audit();
    }

    private void setBack() {
        queue.execute("UPDATE public.clock SET ahead = interval '-10 minutes'");
    }

    @Test
    void jobsOfBeforeAndAfterAreHandledAtOnce() {
        UUID before = queue.publish();
        JobLease running = queue.claimNew("queue => 'default'", "priority => 1");
        setBack();
        UUID after = queue.publish();

        assertThat(queue.claim(worker.id(), 10))
                .extracting(job -> job.lease().id())
                .containsExactlyInAnyOrder(before, after);
        queue.settlements.complete(running, null);
        assertThat(queue.stateOf(running.id())).isEqualTo(JobState.COMPLETED);
    }

    @Test
    void whatFailsAfterwardsIsDueByTheNewClock() {
        setBack();
        queue.call("set_retry_policy('mail', 3, interval '0', 1, interval '0', 0)");
        JobLease lease = queue.claimNew();
        queue.settlements.failAll(List.of(new Failure(lease, "oops", true)));
        queue.upkeep.promote(10);

        assertThat(queue.claim().attempt()).isEqualTo(2);
    }

    @Test
    void aScheduledJobWaitsNoLongerThanTheJump() {
        UUID id = queue.publish("run_at => clock_timestamp() + interval '1 second'");
        setBack();
        assertThat(queue.upkeep.promote(10).orElseThrow()).isBetween(Duration.ofMinutes(9), Duration.ofMinutes(11));

        queue.execute("UPDATE public.clock SET ahead = interval '2 seconds'");
        queue.upkeep.promote(10);
        assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
    }

    @Test
    void aLivingWorkerKeepsItsJobs() {
        queue.workers.heartbeat(worker, List.of());
        queue.publish();
        JobLease lease = queue.claim(worker.id(), 1).get(0).lease();
        setBack();

        assertThat(queue.workers.heartbeat(worker, List.of(lease))).isEmpty();
        assertThat(queue.upkeep.rescue(TTL, TTL, 10).jobs()).isEmpty();
    }

    @Test
    void jobsOfADeadWorkerAreRescuedNoLaterThanTheJumpAndItsTimeToLive() {
        queue.workers.heartbeat(worker, List.of());
        UUID id = queue.publish();
        queue.claim(worker.id(), 1);
        setBack();
        assertThat(queue.upkeep.rescue(TTL, TTL, 10).next().orElseThrow()).isLessThan(Duration.ofMinutes(11));

        queue.execute("UPDATE public.clock SET ahead = interval '21 seconds'");
        assertThat(queue.upkeep.rescue(TTL, TTL, 10).jobs())
                .extracting(Rescued::id)
                .containsExactly(id);
    }

    @Test
    void leasesOfBeforeAndAfterDiffer() {
        setBack();
        JobLease first = queue.claimNew();
        queue.execute("UPDATE public.clock SET ahead = interval '0'");
        JobLease second = queue.claimNew();
        setBack();
        JobLease third = queue.claimNew();

        assertThat(List.of(first.number(), second.number(), third.number())).doesNotHaveDuplicates();
        queue.settlements.complete(first, null);
        queue.settlements.complete(second, null);
        queue.settlements.complete(third, null);
    }
}
