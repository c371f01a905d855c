package dev.jobqueue.internal.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.node.NodeCalls.Held;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A worker that vanishes costs no attempt to the jobs that it held and had not begun. */
class SparedJobsIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    @AfterEach
    void audit() throws SQLException {
        queue.audit();
    }

    @Test
    void goBackWhereTheOneThatHadBegunDies() {
        publish(500);
        List<UUID> ids = loseWorker(500, 1);

        assertThat(queue.list(UUID.class, "SELECT id FROM queue.dead_letter")).containsExactly(ids.get(0));
        assertThat(queue.list(UUID.class, "SELECT id FROM queue.live_job WHERE state = 'PENDING' AND attempt = 0"))
                .containsExactlyInAnyOrderElementsOf(ids.subList(1, 500));
    }

    @Test
    void areThoseThatTheirWorkerClaimedAfterItsLastBeat() {
        publish(1);
        Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
        queue.workers.heartbeat(node, List.of());
        UUID id = queue.claim(node.id(), 1).get(0).lease().id();
        queue.silenceWorkers();
        queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);

        assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("attempt", 0);
    }

    /** It may be the job itself that ends its workers, before they can tell that it began. */
    @Test
    void loseAnAttemptTheFourthTime() {
        publish(1);
        for (int loss = 1; loss <= 3; loss++) {
            UUID id = loseWorker(1, 0).get(0);
            assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("attempt", 0);
        }

        UUID id = loseWorker(1, 0).get(0);

        assertThat(queue.deadLetter(id)).containsEntry("attempt", 1);
    }

    private static void publish(int count) {
        queue.publications.publish(
                Stream.generate(() -> NewJobs.with(UUID.randomUUID(), "mail", "{}")
                                .maxAttempts(1)
                                .build())
                        .limit(count)
                        .toList(),
                false);
    }

    /** Claims so many jobs for a worker that begins some of them, beats and vanishes; they are rescued. */
    private static List<UUID> loseWorker(int jobs, int begun) {
        Registration node = new Registration(UUID.randomUUID(), null, null, null, null, null);
        List<JobLease> claims =
                queue.claim(node.id(), jobs).stream().map(ClaimedJob::lease).toList();
        assertThat(claims).hasSize(jobs);
        List<JobLease> begunOnes = claims.subList(0, begun);
        List<Held.Job> held = claims.stream()
                .map(lease -> new Held.Job(lease, begunOnes.contains(lease)))
                .toList();
        queue.workers.heartbeat(node, () -> new Held(held, Held.USUAL_PATIENCE));
        queue.silenceWorkers();
        queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 1000);
        return claims.stream().map(JobLease::id).toList();
    }
}
