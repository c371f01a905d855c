package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.Job;
import dev.jobqueue.JobDetails;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobOperations;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

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
