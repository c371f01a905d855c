package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

class BatchesIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final FlowRows flows = new FlowRows(database);
    private static final JobRows rows = new JobRows(database);
    private static final Node node = Node.start(database, Members.class);

    private final Members members = node.bean(Members.class);

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void tellsOnceWhenAllOfManyHaveCompleted() {
        AtomicBoolean closed = new AtomicBoolean();
        UUID batch = node.publisher()
                .publish(Batch.of("many")
                        .add(IntStream.range(0, 2_500).mapToObj(Counted::new).onClose(() -> closed.set(true)))
                        .add(Job.of("counted", Map.of("number", 1)).priority(5))
                        .onSuccess(Job.of("many.success", null))
                        .onFinish(Job.of("many.finish", null))
                        .onDeath(Job.of("many.death", null)));
        assertThat(closed).isTrue();
        flows.await(batch, "SUCCEEDED 1: 2501 2501 0 0");
        rows.awaitCount(JobState.COMPLETED, "many.success", 1);
        rows.awaitCount(JobState.COMPLETED, "many.finish", 1);
        assertThat(flows.headers("many.finish")).containsExactly(Map.of("flow", batch.toString(), "round", "1"));
        assertThat(rows.count(JobState.COMPLETED, "many.death")).isZero();
    }

    @Test
    void finishesAtOnceWithoutMembers() {
        UUID batch = node.publisher().publish(Batch.of("empty").onSuccess(Job.of("empty.success", null)));
        flows.await(batch, "SUCCEEDED 1: 0 0 0 0");
        rows.awaitCount(JobState.COMPLETED, "empty.success", 1);
    }

    @Test
    void addsNothingWhereOneOfItsNameAndKeyIsThere() {
        Batch held = Batch.of("keyed").key(7).add(Job.of("nobody", null));
        UUID first = node.publisher().publish(held);
        long jobs = flows.count("job");
        assertThat(node.publisher().publish(held)).isEqualTo(first);
        assertThat(flows.count("job")).isEqualTo(jobs);
    }

    @Test
    void rollsBackWithTheTransactionOfTheCaller() {
        long batches = flows.count("flow");
        long jobs = flows.count("job");
        new TransactionTemplate(node.bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            node.publisher()
                    .publish(Batch.of("rolled back")
                            .add(IntStream.range(0, 3_000).mapToObj(Counted::new)));
            status.setRollbackOnly();
        });
        assertThat(flows.count("flow")).isEqualTo(batches);
        assertThat(flows.count("job")).isEqualTo(jobs);
    }

    @Test
    void publishesNothingIfAMemberIsRefused() {
        long batches = flows.count("flow");
        assertThatThrownBy(() -> node.publisher()
                        .publish(Batch.of("refused")
                                .add(IntStream.range(0, 1_500)
                                        .mapToObj(i -> i < 1_400 ? new Counted(i) : Job.of("", null)))))
                .isInstanceOf(InvalidJobException.class);
        assertThatThrownBy(() -> node.publisher()
                        .publish(Batch.of("refused").add(Job.of("nobody", null).uniqueKey("key"))))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("unique key");
        assertThat(flows.count("flow")).isEqualTo(batches);
    }

    @Test
    void commitsByItselfAfterTheTransactionOfTheCaller() {
        UUID[] batch = new UUID[1];
        new TransactionTemplate(node.bean(PlatformTransactionManager.class))
                .executeWithoutResult(status ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                batch[0] = node.publisher()
                                        .publish(Batch.of("late").add(List.of(new Counted(1))));
                            }
                        }));
        flows.await(batch[0], "SUCCEEDED 1: 1 1 0 0");
    }

    @Test
    void takesMembersThatMembersAdd() {
        UUID batch = node.publisher()
                .publish(Batch.of("growing").add(Job.of("growing", 6)).onFinish(Job.of("growing.finish", null)));
        flows.await(batch, "SUCCEEDED 1: 7 7 0 0");
        rows.awaitCount(JobState.COMPLETED, "growing.finish", 1);
    }

    @Test
    void countsBatchesAndFlowsWithinItAsOne() {
        UUID batch = node.publisher()
                .publish(Batch.of("outer")
                        .add(Batch.of("inner").add(List.of(new Counted(1), new Counted(2))))
                        .add(Flow.of("inner").then("a", new Counted(3)).then("b", new Counted(4)))
                        .add(List.of(new Counted(5)))
                        .onSuccess(Job.of("outer.success", null)));
        flows.await(batch, "SUCCEEDED 1: 3 3 0 0");
        rows.awaitCount(JobState.COMPLETED, "outer.success", 1);
    }

    @Test
    void goesOnWhenADeadMemberIsReplayed() {
        UUID batch = node.publisher()
                .publish(Batch.of("mended")
                        .add(Job.of("mended", null), Job.of("counted", new Counted(1)))
                        .onSuccess(Job.of("mended.success", null))
                        .onDeath(Job.of("mended.death", null))
                        .onFinish(Job.of("mended.finish", null)));
        flows.await(batch, "FAILED 1: 2 1 1 0");
        members.mended.set(true);
        node.bean(JobOperations.class)
                .all(JobFilter.of(JobState.DEAD).type("mended"))
                .replay();
        flows.await(batch, "SUCCEEDED 2: 2 2 0 0");
        rows.awaitCount(JobState.COMPLETED, "mended.finish", 2);
        rows.awaitCount(JobState.COMPLETED, "mended.success", 1);
        assertThat(rows.count(JobState.COMPLETED, "mended.death")).isEqualTo(1);
        assertThat(flows.headers("mended.finish")).extracting("round").containsExactly("1", "2");
    }

    @Test
    void tellsAHandlerOfItsBatchAlone() {
        UUID plain = node.publisher().publish("lonely", null);
        rows.await(JobState.DEAD, plain);
        assertThat(rows.errors(plain).get(0)).contains("is not a member of a batch");
        await().until(() -> members.lonely.get() == 1);
    }

    record Counted(int number) {}

    static class Members {

        final AtomicBoolean mended = new AtomicBoolean();
        final AtomicInteger lonely = new AtomicInteger();

        @JobHandler("counted")
        int counted(Counted counted) {
            return counted.number();
        }

        @JobHandler("growing")
        void growing(int size, JobContext job) {
            assertThat(job.flowId()).isNotNull();
            assertThat(job.flowStep()).isNull();
            if (size > 1) {
                job.addToBatch(Job.of("growing", size / 2));
                job.addToBatch(Job.of("growing", size - size / 2 - 1));
            }
        }

        @JobHandler(value = "mended", maxAttempts = 1)
        void mended() {
            if (!mended.get()) {
                throw new IllegalStateException("not yet");
            }
        }

        @JobHandler(value = "lonely", maxAttempts = 1)
        void lonely(JobContext job) {
            lonely.incrementAndGet();
            job.addToBatch(Job.of("counted", null));
        }

        @JobHandler("many.success")
        void manySuccess() {}

        @JobHandler("many.finish")
        void manyFinish() {}

        @JobHandler("many.death")
        void manyDeath() {}

        @JobHandler("empty.success")
        void emptySuccess() {}

        @JobHandler("growing.finish")
        void growingFinish() {}

        @JobHandler("outer.success")
        void outerSuccess() {}

        @JobHandler("mended.success")
        void mendedSuccess() {}

        @JobHandler("mended.death")
        void mendedDeath() {}

        @JobHandler("mended.finish")
        void mendedFinish() {}
    }
}
