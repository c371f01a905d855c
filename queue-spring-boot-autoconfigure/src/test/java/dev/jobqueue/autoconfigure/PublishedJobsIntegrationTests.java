package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.JobType;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class PublishedJobsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static JobPublisher jobs;

    @BeforeAll
    static void start() {
        node = Node.start(database, Handlers.class, "queue.worker.enabled=false");
        jobs = node.publisher();
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Nested
    class AJob {

        @Test
        void keepsWhatThePublisherSays() {
            UUID given = UUID.randomUUID();
            UUID id = jobs.publish(Job.of("full", List.of(1, 2))
                    .queue("special")
                    .priority(7)
                    .delay(Duration.ofHours(1))
                    .maxAttempts(9)
                    .timeout(Duration.ofSeconds(90))
                    .header("tenant", "acme")
                    .uniqueKey("only-one")
                    .id(given));
            assertThat(id).isEqualTo(given);
            assertThat(rows.jdbc()
                            .sql("SELECT queue, priority, max_attempts, timeout::text, headers::text, payload::text,"
                                    + " unique_key, run_at - created_at = '1 hour' AS delayed FROM"
                                    + " queue.live_job WHERE id = ?")
                            .param(id)
                            .query()
                            .singleRow())
                    .containsEntry("queue", "special")
                    .containsEntry("priority", 7)
                    .containsEntry("max_attempts", 9)
                    .containsEntry("timeout", "00:01:30")
                    .containsEntry("headers", "{\"tenant\": \"acme\"}")
                    .containsEntry("payload", "[1,2]")
                    .containsEntry("unique_key", "only-one")
                    .containsEntry("delayed", true);
        }

        @Test
        void waitsForItsTime() {
            Instant later = Instant.now().plusSeconds(3600);
            assertThat(rows.state(jobs.publish(Job.of("noted", null).runAt(later))))
                    .hasValue(JobState.SCHEDULED);
            assertThat(rows.state(jobs.publish(Job.of("noted", null).runAt(Instant.EPOCH))))
                    .hasValue(JobState.PENDING);
        }

        @Test
        void isPublishedOnceUnderAGivenId() {
            UUID given = UUID.randomUUID();
            Job job = Job.of("twice", null).id(given);
            assertThat(jobs.publish(job)).isEqualTo(given);
            assertThat(jobs.publish(job)).isEqualTo(given);
            UUID inTransaction = new TransactionTemplate(node.bean(PlatformTransactionManager.class))
                    .execute(status -> jobs.publish(job));
            assertThat(inTransaction).isEqualTo(given);
            assertThat(rows.count(JobState.PENDING, "twice")).isEqualTo(1);
        }

        @Test
        void isTheLiveOneThatHasItsUniqueKey() {
            UUID first = jobs.publish(Job.of("unique", null).uniqueKey("k"));
            assertThat(jobs.publish(Job.of("unique", null).uniqueKey("k"))).isEqualTo(first);
        }
    }

    @Nested
    class ManyJobs {

        @Test
        void getTheirIdsInOrder() {
            List<Job> many = IntStream.range(0, 1_500)
                    .mapToObj(i -> Job.of("many", i).id(new UUID(42, i)))
                    .toList();
            List<UUID> ids = jobs.publishAll(many);
            assertThat(ids).containsExactlyElementsOf(many.stream().map(Job::id).toList());
            assertThat(rows.count(JobState.PENDING, "many")).isEqualTo(1_500);
        }

        @Test
        void arePublishedAllOrNone() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.publishAll(
                            List.of(Job.of("none", 1), Job.of("none", 2).maxAttempts(0))))
                    .withMessageContaining("max_attempts of job 2")
                    .withMessageContaining("must be at least 1");
            assertThat(rows.count(JobState.PENDING, "none")).isZero();
        }

        @Test
        void mayBeNone() {
            assertThat(jobs.publishAll(List.of())).isEmpty();
        }
    }

    @Nested
    class TheType {

        @Test
        void isThatOfTheAnnotation() {
            assertThat(rows.live(jobs.publish(new Annotated(1)), "type", String.class))
                    .hasValue("annotated");
        }

        @Test
        void andTheQueueAreThoseOfTheOneHandler() {
            UUID id = jobs.publish(new Taken("x"));
            assertThat(rows.live(id, "type", String.class)).hasValue("taken");
            assertThat(rows.queue(id)).isEqualTo("takers");
        }

        @Test
        void mustBeKnown() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.publish(new Unknown()))
                    .withMessageContaining("no handler on this node takes it")
                    .withMessageContaining(Unknown.class.getName())
                    .withMessageContaining("@JobType");
        }

        @Test
        void mustNotBeAmbiguous() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.publish(new Shared(1)))
                    .withMessageContaining("the handlers of [shared.a, shared.b] take it");
        }

        @Test
        void mustNotBeBlank() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.publish(" ", null))
                    .withMessageContaining("type")
                    .withMessageContaining("' '");
        }
    }

    @Nested
    class APayload {

        @Test
        void mustBeWritable() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.publish("noted", new Cyclic()))
                    .withMessageContaining(Cyclic.class.getName())
                    .withMessageContaining("cannot be written as JSON");
        }

        @Test
        void mustNotBeTooLong() {
            assertThatExceptionOfType(InvalidJobException.class)
                    .isThrownBy(() -> jobs.publish("noted", "x".repeat(1_100_000)))
                    .withMessageContaining("payload")
                    .withMessageContaining("1048576");
        }
    }

    @JobType("annotated")
    record Annotated(int number) {}

    record Taken(String name) {}

    record Shared(int number) {}

    record Unknown() {}

    static class Cyclic {
        public Cyclic getSelf() {
            return this;
        }
    }

    static class Handlers {

        @JobHandler(value = "taken", queue = "takers")
        void take(Taken taken) {}

        @JobHandler("shared.a")
        void one(Shared shared) {}

        @JobHandler("shared.b")
        void other(Shared shared) {}
    }
}
