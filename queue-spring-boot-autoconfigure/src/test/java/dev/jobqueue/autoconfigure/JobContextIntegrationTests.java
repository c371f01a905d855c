package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;

class JobContextIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node node;
    private static Handlers handlers;

    @BeforeAll
    static void start() {
        node = Node.start(database, Handlers.class);
        handlers = node.bean(Handlers.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void tellsWhatIsKnownOfTheJob() {
        UUID id = node.publisher()
                .publish(Job.of("known", null).header("tenant", "acme").maxAttempts(4));
        assertThat(rows.result(id)).isEqualTo("\"" + id + " known default 1 of 4 {tenant=acme} true\"");
    }

    @Test
    void showsProgressAndLogWhileTheJobRuns() {
        UUID id = node.publisher().publish("progress", null);
        await().untilAsserted(() -> assertThat(rows.live(id, "percent || ' ' || stage", String.class))
                .hasValue("50 mailing"));
        assertThat(rows.jdbc()
                        .sql("SELECT coalesce(message, percent || ' ' || stage) FROM queue.job_event WHERE job_id = ?"
                                + " ORDER BY number")
                        .param(id)
                        .query(String.class)
                        .list())
                .containsExactly("10 rendering", "half done", "50 mailing");
        handlers.gate.release();
        rows.await(JobState.COMPLETED, id);
    }

    @Test
    void publishesChildren() {
        String child = rows.result(node.publisher().publish("parent", null)).replace("\"", "");
        rows.await(JobState.COMPLETED, UUID.fromString(child));
    }

    @Nested
    class Steps {

        @Test
        void areNotRepeatedByTheNextAttempt() {
            UUID id = node.publisher().publish("steps", null);
            assertThat(rows.result(id)).isEqualTo("\"rendered 1 then {a=1} then null, attempt 2\"");
            assertThat(handlers.rendered).hasValue(1);
            assertThat(handlers.nulls).hasValue(1);
            assertThat(handlers.thrown).hasValue(2);
        }

        @Test
        void haveTheSameResultsInEveryAttempt() {
            assertThat(rows.result(node.publisher().publish("steps.exact", null)))
                    .isEqualTo("2");
            assertThat(handlers.exact)
                    .containsExactly(
                            "12345678901234567890.1230 100 [Money[amount=0.10, currency=EUR]]",
                            "12345678901234567890.1230 100 [Money[amount=0.10, currency=EUR]]");
        }

        @Test
        void makeTheJobDieWhenTheirResultsCannotBeRead() {
            UUID id = node.publisher().publish("steps.unreadable", null);
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id))
                    .singleElement()
                    .asString()
                    .contains("The result of step 'thread' cannot be read as 'java.lang.Runnable'");
        }

        @Test
        void areNotRepeatedWithinAnAttempt() {
            assertThat(rows.result(node.publisher().publish("steps.twice", null)))
                    .isEqualTo("\"1 1\"");
        }
    }

    @Nested
    class ASnooze {

        @Test
        void comesBackWithoutCountingTheAttempt() {
            UUID id = node.publisher().publish(Job.of("snooze", null).maxAttempts(1));
            assertThat(rows.result(id)).isEqualTo("\"attempt 1 after 3 runs\"");
            assertThat(rows.errors(id)).isEmpty();
        }

        @Test
        void waitsForItsDelay() {
            UUID id = node.publisher().publish("snooze.long", null);
            rows.await(JobState.SCHEDULED, id);
            assertThat(rows.live(id, "attempt", Integer.class)).hasValue(0);
            assertThat(rows.live(id, "run_at > clock_timestamp() + interval '50 minutes'", Boolean.class))
                    .hasValue(true);
        }

        @Test
        void cannotBeNegative() {
            UUID id = node.publisher().publish(Job.of("snooze.wrong", null).maxAttempts(1));
            rows.await(JobState.DEAD, id);
            assertThat(rows.errors(id).get(0)).contains("delay");
        }
    }

    @Nested
    class MoreTime {

        @Test
        void isGivenOnRequest() {
            UUID id = node.publisher().publish(Job.of("extend", null).timeout(Duration.ofSeconds(5)));
            await().untilAsserted(() -> assertThat(
                            rows.live(id, "timeout_at > clock_timestamp() + interval '50 minutes'", Boolean.class))
                    .hasValue(true));
            rows.jdbc()
                    .sql("SELECT pg_sleep(greatest(0, 5.5 - extract(epoch FROM clock_timestamp() - claimed_at)))::text"
                            + " FROM queue.live_job WHERE id = ?")
                    .param(id)
                    .query(String.class)
                    .single();
            assertThat(rows.state(id)).as("after the first timeout").hasValue(JobState.RUNNING);
            handlers.extended.release();
            assertThat(rows.result(id)).isEqualTo("\"in time\"");
            assertThat(rows.errors(id)).isEmpty();
        }
    }

    record Money(BigDecimal amount, String currency) {}

    record NothingToDo() implements Runnable {
        @Override
        public void run() {}
    }

    static class Handlers {

        final Semaphore gate = new Semaphore(0);
        final Semaphore extended = new Semaphore(0);
        final List<String> exact = new CopyOnWriteArrayList<>();
        final AtomicInteger rendered = new AtomicInteger();
        final AtomicInteger nulls = new AtomicInteger();
        final AtomicInteger thrown = new AtomicInteger();
        final AtomicInteger snoozed = new AtomicInteger();

        @JobHandler("known")
        String known(JobContext job) {
            return "%s %s %s %d of %d %s %s"
                    .formatted(
                            job.id(),
                            job.type(),
                            job.queue(),
                            job.attempt(),
                            job.maxAttempts(),
                            job.headers(),
                            job.createdAt().isAfter(java.time.Instant.EPOCH));
        }

        @JobHandler("progress")
        void progress(JobContext job) throws InterruptedException {
            job.progress(10, "rendering");
            job.log("half done");
            job.progress(50, "mailing");
            gate.acquire();
        }

        @JobHandler("parent")
        UUID parent(JobContext job) {
            return job.publish(Job.of("child", null));
        }

        @JobHandler("child")
        void child() {}

        @JobHandler(value = "steps", backoff = "1ms")
        String steps(JobContext job) throws Exception {
            String text = job.step("render", String.class, () -> "rendered " + rendered.incrementAndGet());
            Map<?, ?> map = job.step("map", Map.class, () -> Map.of("a", 1));
            String none = job.step("null", String.class, () -> {
                nulls.incrementAndGet();
                return null;
            });
            List<?> last = job.step("list", List.class, () -> {
                if (thrown.incrementAndGet() == 1) {
                    throw new IllegalStateException("crashed between two steps");
                }
                return List.of();
            });
            return text + " then " + map + " then " + none + ", attempt " + (job.attempt() + last.size());
        }

        @JobHandler(value = "steps.exact", backoff = "1ms")
        int exact(JobContext job) throws Exception {
            BigDecimal amount = job.step("amount", BigDecimal.class, () -> new BigDecimal("12345678901234567890.1230"));
            BigDecimal hundred = job.step("hundred", BigDecimal.class, () -> new BigDecimal("1E+2"));
            List<Money> list = job.step(
                    "list",
                    new ParameterizedTypeReference<>() {},
                    () -> List.of(new Money(new BigDecimal("0.10"), "EUR")));
            exact.add(amount + " " + hundred + " " + list);
            if (job.attempt() == 1) {
                throw new IllegalStateException("again");
            }
            return job.attempt();
        }

        @JobHandler("steps.unreadable")
        void unreadable(JobContext job) throws Exception {
            job.step("thread", Runnable.class, () -> new NothingToDo());
        }

        @JobHandler("steps.twice")
        String twice(JobContext job) throws Exception {
            AtomicInteger calls = new AtomicInteger();
            return job.step("once", Integer.class, calls::incrementAndGet) + " "
                    + job.step("once", Integer.class, calls::incrementAndGet);
        }

        @JobHandler("snooze")
        String snooze(JobContext job) {
            if (snoozed.incrementAndGet() < 3) {
                job.snooze(Duration.ofMillis(10));
            }
            return "attempt " + job.attempt() + " after " + snoozed + " runs";
        }

        @JobHandler("snooze.long")
        void snoozeLong(JobContext job) {
            job.snooze(Duration.ofHours(1));
        }

        @JobHandler("snooze.wrong")
        void snoozeWrong(JobContext job) {
            job.snooze(Duration.ofHours(-1));
        }

        @JobHandler("extend")
        String extend(JobContext job) throws InterruptedException {
            job.extend(Duration.ofHours(1));
            extended.acquire();
            return "in time";
        }
    }
}
