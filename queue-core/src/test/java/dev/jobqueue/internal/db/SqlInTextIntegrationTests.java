package dev.jobqueue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.operate.JobFilter;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Text that looks like SQL stays text, in every field that takes text. */
class SqlInTextIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    private static final String HOSTILE = "x'); DROP TABLE queue.job; -- \" $$ {} % _ \\ :name ? ${y}";
    private static final String HOSTILE_JSON = "{\"k\": \"'); DROP TABLE queue.job; --\"}";

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static NewJob hostileJob() {
        return NewJobs.with(UUID.randomUUID(), HOSTILE, HOSTILE_JSON)
                .givenId(true)
                .queue(HOSTILE)
                .uniqueKey(HOSTILE)
                .headers(HOSTILE_JSON)
                .build();
    }

    private static ClaimedJob claimHostile() {
        return queue.claims
                .claim(UUID.randomUUID(), Map.of(HOSTILE, 1), List.of(HOSTILE))
                .get(0);
    }

    @Test
    void goesThroughPublishAndClaim() {
        queue.publications.publish(List.of(hostileJob()), true);
        queue.publications.wake(List.of(HOSTILE));

        ClaimedJob claimed = claimHostile();

        assertThat(claimed.type()).isEqualTo(HOSTILE);
        assertThat(claimed.queue()).isEqualTo(HOSTILE);
        assertThat(claimed.payload()).isEqualTo(HOSTILE_JSON);
        assertThat(claimed.headers()).isEqualTo(HOSTILE_JSON);
        assertThat(queue.job(claimed.lease().id())).containsEntry("unique_key", HOSTILE);
    }

    @Test
    void goesThroughWhatAWorkerTells() {
        queue.publications.publish(List.of(hostileJob()), true);
        JobLease lease = claimHostile().lease();
        Registration node =
                new Registration(UUID.randomUUID(), HOSTILE, 1, HOSTILE, List.of(HOSTILE), List.of(HOSTILE));
        queue.workers.heartbeat(node, List.of(lease));
        queue.reports.progress(lease, 1, HOSTILE);
        queue.reports.log(lease, "INFO", HOSTILE);
        queue.reports.saveStep(lease, HOSTILE, HOSTILE_JSON);
        queue.settlements.failAll(List.of(new SettleCalls.Failure(lease, HOSTILE, false)));

        assertThat(queue.list(
                        String.class,
                        "SELECT host FROM queue.worker WHERE host IS NOT NULL UNION ALL SELECT stage FROM"
                                + " queue.job_event"
                                + " WHERE stage IS NOT NULL UNION ALL SELECT message FROM queue.job_event"
                                + " WHERE message IS NOT NULL UNION ALL SELECT step FROM queue.job_step"
                                + " UNION ALL SELECT errors -> 0 ->> 'error' FROM queue.dead_letter"))
                .containsExactly(HOSTILE, HOSTILE, HOSTILE, HOSTILE, HOSTILE);
    }

    @Test
    void goesThroughWhatOperatorsDo() {
        queue.publications.publish(List.of(hostileJob()), true);
        queue.operations.pause(HOSTILE);
        assertThat(queue.claims.claim(UUID.randomUUID(), Map.of(HOSTILE, 1), null))
                .isEmpty();
        queue.operations.resume(HOSTILE);
        queue.settlements.failAll(List.of(new SettleCalls.Failure(claimHostile().lease(), HOSTILE, false)));

        JobFilter dead =
                JobFilter.of(JobState.DEAD).queue(HOSTILE).type(HOSTILE).uniqueKey(HOSTILE);
        assertThat(queue.api.all(dead.errorLike("x''%")).replay().jobs()).isZero();
        assertThat(queue.api.all(dead.errorLike("x')%")).replay().jobs()).isEqualTo(1);
        JobFilter pending =
                JobFilter.of(JobState.PENDING).queue(HOSTILE).type(HOSTILE).uniqueKey(HOSTILE);
        assertThat(queue.api.count(pending).jobs()).isEqualTo(1);
        assertThat(queue.api.all(pending).reprioritise(7).jobs()).isEqualTo(1);
        queue.settlements.failAll(List.of(new SettleCalls.Failure(claimHostile().lease(), HOSTILE, false)));
        assertThat(queue.api.all(dead.errorLike("x')%")).purge().jobs()).isEqualTo(1);
        assertThat(queue.one(String.class, "SELECT name FROM queue.queue")).isEqualTo(HOSTILE);
    }
}
