package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.JobReason;
import dev.jobqueue.operate.JobSummary;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class JobOperationsIntegrationTests {

    private final ApplicationContextRunner application =
            QueueApplication.on(TestDatabase.create()).withBean(Sums.class);

    @Test
    void findsAJobInEveryStageOfItsLife() {
        application.run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            JobOperations operations = context.getBean(JobOperations.class);
            assertThat(operations.find(UUID.randomUUID())).isEmpty();

            UUID later = jobs.publish(
                    Job.of("sum", new int[] {1}).delay(Duration.ofHours(1)).header("by", "me"));
            JobDetails scheduled = operations.find(later).orElseThrow();
            assertThat(scheduled.state()).isEqualTo(JobState.SCHEDULED);
            assertThat(scheduled.payload()).isEqualTo("[1]");
            assertThat(scheduled.headers()).containsEntry("by", "me");

            UUID done = jobs.publish("sum", new int[] {1, 2});
            JobDetails completed = awaitState(operations, done, JobState.COMPLETED);
            assertThat(completed.result()).isEqualTo("3");
            assertThat(completed.finishedAt()).isAfterOrEqualTo(completed.createdAt());

            UUID dead = jobs.publish("sum", new int[0]);
            assertThat(awaitState(operations, dead, JobState.DEAD).errors())
                    .singleElement()
                    .satisfies(error -> {
                        assertThat(error.attempt()).isEqualTo(1);
                        assertThat(error.error()).contains("PermanentJobException: nothing to sum");
                    });
        });
    }

    @Test
    void cancelsReplaysPausesAndResumes() {
        application.run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            JobOperations operations = context.getBean(JobOperations.class);
            UUID id = jobs.publish(Job.of("sum", new int[] {1}).delay(Duration.ofHours(1)));
            assertThat(operations.cancel(id)).isEqualTo(JobState.CANCELLED);
            assertThat(operations.cancel(id)).isEqualTo(JobState.CANCELLED);
            assertThatExceptionOfType(JobNotFoundException.class)
                    .isThrownBy(() -> operations.cancel(UUID.randomUUID()));

            UUID dead = jobs.publish("sum", new int[0]);
            awaitState(operations, dead, JobState.DEAD);
            operations.pause("default");
            operations.replay(dead);
            assertThat(operations.find(dead).orElseThrow().state()).isEqualTo(JobState.PENDING);
            operations.resume("default");
            awaitState(operations, dead, JobState.DEAD);
        });
    }

    @Test
    void changesJobsOneByOneAndByFilter() {
        application.run(context -> {
            JobPublisher jobs = context.getBean(JobPublisher.class);
            JobOperations operations = context.getBean(JobOperations.class);
            Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
            UUID id = jobs.publish(Job.of("sum", new int[] {1, 2}).delay(Duration.ofHours(1)));
            assertThat(operations.reprioritise(id, 7)).isEqualTo(JobState.SCHEDULED);
            assertThat(operations.reschedule(id, tomorrow)).isEqualTo(JobState.SCHEDULED);
            JobFilter later = JobFilter.of(JobState.SCHEDULED).type("sum").since(tomorrow.minusSeconds(1));
            assertThat(operations.find(later, JobCursor.START, 10).jobs())
                    .singleElement()
                    .returns(7, JobSummary::priority);
            assertThat(operations.why(id)).extracting(JobReason::code).contains("SCHEDULED");
            assertThat(operations.all(later).retry()).isEqualTo(new JobCount(1, false));
            awaitState(operations, id, JobState.COMPLETED);

            UUID dead = jobs.publish("sum", new int[0]);
            awaitState(operations, dead, JobState.DEAD);
            assertThat(operations.count(JobFilter.of(JobState.DEAD))).hasToString("1");
            assertThat(operations.queues()).extracting(QueueFigures::dead).containsExactly(1L);
            assertThat(operations.nodes()).anyMatch(NodeFigures::isLive);
            assertThat(operations.unhandledTypes()).isEmpty();
            operations.purge(dead);
            assertThat(operations.find(dead)).isEmpty();
        });
    }

    @Test
    void actsInTheTransactionOfTheCaller() {
        application.run(context -> {
            JobOperations operations = context.getBean(JobOperations.class);
            UUID id = context.getBean(JobPublisher.class)
                    .publish(Job.of("sum", new int[] {1}).delay(Duration.ofHours(1)));
            JobFilter scheduled = JobFilter.of(JobState.SCHEDULED);
            new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
                assertThat(operations.all(scheduled).cancel().jobs()).isEqualTo(1);
                assertThat(operations.count(scheduled).jobs()).isZero();
                status.setRollbackOnly();
            });
            assertThat(operations.find(id).orElseThrow().state()).isEqualTo(JobState.SCHEDULED);
        });
    }

    private static JobDetails awaitState(JobOperations operations, UUID id, JobState state) {
        await().until(() -> operations.find(id).orElseThrow().state() == state);
        return operations.find(id).orElseThrow();
    }

    static class Sums {

        @JobHandler("sum")
        int sum(int[] numbers) {
            if (numbers.length == 0) {
                throw new PermanentJobException("nothing to sum");
            }
            return java.util.Arrays.stream(numbers).sum();
        }
    }
}
