package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Batch;
import dev.jobqueue.Flow;
import dev.jobqueue.From;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** Batches and flows go on in a test that rolls back, and their timers go by its time. */
@JobTest(Mailer.class)
@Import(FlowsIntegrationTests.Handlers.class)
class FlowsIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private JobOperations operations;

    @Autowired
    private Mailer mailer;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @BeforeEach
    void resetTheOutside() {
        mailer.reset();
    }

    private FlowState state(UUID flow) {
        return operations.findFlow(flow).orElseThrow().state();
    }

    @Test
    void runsAFlowToItsEndInOneDrain() {
        UUID flow = publisher.publish(Flow.of("sum")
                .each("part", List.of(1, 2, 3), part -> Job.of("part", part))
                .step("sum", Job.of("sum", null))
                .after("part"));
        assertThat(jobs.drain()).isEqualTo(4);
        assertThat(state(flow)).isEqualTo(FlowState.SUCCEEDED);
        assertThat(mailer.mails).containsExactly("sum of [10, 20, 30]");
    }

    @Test
    void finishesABatchWhoseMembersAddMembers() {
        UUID batch = publisher.publish(Batch.of("growing")
                .add(IntStream.range(0, 3).mapToObj(i -> Job.of("grow", i)))
                .onFinish(Job.of("mail", "finished")));
        jobs.drain();
        assertThat(operations.findFlow(batch).orElseThrow().total()).isEqualTo(5);
        assertThat(mailer.mails).containsExactly("finished");
    }

    @Test
    void movesTimersAndTimeoutsByTheTimeOfTheTest() {
        UUID flow = publisher.publish(Flow.of("approval")
                .timer("pause", Duration.ofHours(1))
                .signal("approved", Duration.ofDays(2))
                .after("pause")
                .step("mail", Job.of("mail", "approved").delay(Duration.ofMinutes(5)))
                .after("approved"));
        jobs.advance(Duration.ofMinutes(59));
        assertThat(publisher.signal(flow, "approved", null)).isTrue();
        jobs.advance(Duration.ofMinutes(2));
        assertThat(mailer.mails).isEmpty();
        jobs.advance(Duration.ofMinutes(5));
        assertThat(mailer.mails).containsExactly("approved");
        assertThat(state(flow)).isEqualTo(FlowState.SUCCEEDED);

        UUID late = publisher.publish(Flow.of("approval").signal("approved", Duration.ofDays(2)));
        jobs.advance(Duration.ofDays(1));
        assertThat(state(late)).isEqualTo(FlowState.RUNNING);
        jobs.advance(Duration.ofDays(1));
        assertThat(state(late)).isEqualTo(FlowState.FAILED);
    }

    static class Handlers {

        private final Mailer mailer;

        Handlers(Mailer mailer) {
            this.mailer = mailer;
        }

        @JobHandler("part")
        int part(int number) {
            return 10 * number;
        }

        @JobHandler("sum")
        void sum(@From("part") List<@Nullable Integer> parts) {
            mailer.send("sum of " + parts);
        }

        @JobHandler("grow")
        void grow(int number, JobContext job) {
            if (number == 2) {
                job.addToBatch(Job.of("grow", 0));
                job.addToBatch(Job.of("grow", 1));
            }
        }

        @JobHandler("mail")
        void mail(String text) {
            mailer.send(text);
        }
    }
}
