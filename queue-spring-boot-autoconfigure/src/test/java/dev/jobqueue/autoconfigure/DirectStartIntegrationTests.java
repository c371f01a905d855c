package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Flow;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A node that is idle, and whose claims bring nothing from then on: what starts now starts without being claimed. */
class DirectStartIntegrationTests {

    private static final int SLOTS = 3;

    private final TestDatabase database = MigratedDatabase.create();
    private final JobRows rows = new JobRows(database);
    private Node node;
    private JobPublisher jobs;

    @BeforeEach
    void start() {
        node = Node.start(database, Handlers.class, "queue.worker.slots=" + SLOTS, "queue.worker.poll-interval=1h");
        jobs = node.publisher();
        rows.await(JobState.COMPLETED, jobs.publish(Job.of("noted", null)));
        emptyClaims();
    }

    @AfterEach
    void stop() {
        node.bean(Handlers.class).gate.countDown();
        node.close();
    }

    @Test
    void happensOutsideOfATransaction() {
        UUID id = jobs.publish(Job.of("noted", null));

        rows.await(JobState.COMPLETED, id);
        assertThat(rows.attempt(id)).isEqualTo(1);
    }

    @Test
    void happensAfterTheCommitOfATransaction() {
        UUID id = transaction(TransactionDefinition.PROPAGATION_REQUIRED).execute(status -> {
            UUID published = jobs.publish(Job.of("noted", null));
            assertThat(rows.state(published)).isEmpty();
            return published;
        });

        rows.await(JobState.COMPLETED, id);
    }

    @Test
    void happensToJobsOfHandlers() {
        jobs.publish(Job.of("parent", null));

        rows.awaitCount(JobState.COMPLETED, "child", 1);
    }

    /** More than there are slots: those that were promised for nothing are free again. */
    @Test
    void happensToStepsThatBecomeFree() {
        Flow chain = Flow.of("chain").signal("go");
        for (int i = 0; i < 4 * SLOTS; i++) {
            chain = chain.then("step" + i, Job.of("noted", null));
        }
        jobs.signal(jobs.publish(chain), "go", null);

        rows.awaitCount(JobState.COMPLETED, "noted", 1 + 4 * SLOTS);
    }

    @Test
    void doesNotHappenToStepsThatFitTogetherIntoNoFreeSlots() {
        Flow steps = Flow.of("many").signal("go");
        for (int i = 0; i < 2 * SLOTS; i++) {
            steps = steps.step("step" + i, Job.of("noted", null)).after("go");
        }
        jobs.signal(jobs.publish(steps), "go", null);

        rows.awaitCount(JobState.PENDING, "noted", 2 * SLOTS);
    }

    /** Promised slots are free again: else the jobs after the rollbacks would have to be claimed. */
    @Test
    void doesNotHappenToWhatWasRolledBack() {
        for (int i = 0; i < 2 * SLOTS; i++) {
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
                jobs.publish(Job.of("rolled-back", null));
                status.setRollbackOnly();
            });
        }
        List<UUID> kept = new ArrayList<>();
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(outer -> {
            kept.add(jobs.publish(Job.of("noted", null)));
            transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                jobs.publish(Job.of("rolled-back", null));
                nested.setRollbackOnly();
            });
        });

        rows.await(JobState.COMPLETED, kept);
        assertThat(rows.count(JobState.COMPLETED, "rolled-back")).isZero();
        assertThat(rows.count(JobState.RUNNING, "rolled-back")).isZero();
    }

    /** The rest is for all nodes. */
    @Test
    void happensToNoMoreJobsThanThereAreSlots() {
        List<UUID> ids = new ArrayList<>();
        transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
            for (int i = 0; i < 2 * SLOTS; i++) {
                ids.add(jobs.publish(Job.of("waits", null)));
            }
        });

        rows.await(JobState.RUNNING, ids.subList(0, SLOTS));
        rows.await(JobState.PENDING, ids.subList(SLOTS, 2 * SLOTS));
    }

    @Test
    void doesNotHappenToTypesThatAreHandledElsewhere() {
        assertThat(rows.state(jobs.publish(Job.of("elsewhere", null)))).hasValue(JobState.PENDING);
    }

    @Test
    void doesNotHappenToJobsThatArePublishedTogetherWithOneForLater() {
        List<UUID> ids = jobs.publishAll(
                List.of(Job.of("noted", null), Job.of("noted", null).delay(Duration.ofHours(1))));

        assertThat(rows.state(ids.get(0))).hasValue(JobState.PENDING);
        assertThat(rows.state(ids.get(1))).hasValue(JobState.SCHEDULED);
    }

    @Test
    void doesNotHappenWhereItIsTurnedOff() {
        node.close();
        node = Node.start(database, Handlers.class, "queue.worker.direct=false", "queue.worker.poll-interval=1h");

        assertThat(rows.state(node.publisher().publish(Job.of("noted", null)))).hasValue(JobState.PENDING);
        UUID flow = node.publisher().publish(Flow.of("off").signal("go").then("step", Job.of("noted", null)));
        node.publisher().signal(flow, "go", null);
        rows.awaitCount(JobState.PENDING, "noted", 2);
    }

    private TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(node.bean(PlatformTransactionManager.class));
        template.setPropagationBehavior(propagation);
        return template;
    }

    private void emptyClaims() {
        rows.jdbc()
                .sql("ALTER FUNCTION queue.claim(uuid, text[], int[], text[], bigint) RENAME TO no_claim")
                .update();
        rows.jdbc()
                .sql("CREATE FUNCTION queue.claim(uuid, text[], int[], text[], bigint) RETURNS SETOF queue.job"
                        + " LANGUAGE sql AS 'SELECT * FROM queue.job WHERE false'")
                .update();
    }

    static class Handlers {

        private final CountDownLatch gate = new CountDownLatch(1);
        private final JobPublisher jobs;

        Handlers(JobPublisher jobs) {
            this.jobs = jobs;
        }

        @JobHandler("noted")
        void noted() {}

        @JobHandler("child")
        void child() {}

        @JobHandler("rolled-back")
        void rolledBack() {}

        @JobHandler("parent")
        void parent() {
            jobs.publish(Job.of("child", null));
        }

        @JobHandler("waits")
        void waits() throws InterruptedException {
            gate.await();
        }
    }
}
