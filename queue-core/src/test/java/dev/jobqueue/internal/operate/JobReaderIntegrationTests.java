package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobReason;
import dev.jobqueue.operate.JobSummary;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class JobReaderIntegrationTests {

    private static final ObservedQueue queue = ObservedQueue.create();

    /** Those that are reached by a claim first: it must not take the pending ones. */
    private static final List<JobState> STATES = List.of(
            JobState.COMPLETED,
            JobState.RUNNING,
            JobState.DEAD,
            JobState.CANCELLED,
            JobState.SCHEDULED,
            JobState.WAITING,
            JobState.PENDING);

    @BeforeEach
    void clear() {
        queue.clear();
    }

    private static List<JobSummary> all(JobFilter filter, int pageSize) {
        List<JobSummary> found = new ArrayList<>();
        JobCursor after = JobCursor.START;
        do {
            JobPage page = queue.jobs.find(filter, after, pageSize);
            assertThat(page.jobs()).hasSizeLessThanOrEqualTo(pageSize);
            found.addAll(page.jobs());
            after = page.next();
        } while (after != null);
        return found;
    }

    private static JobCursor cursor(String text) {
        return new JobCursor(Base64.getUrlEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8)));
    }

    /** Brings jobs of two queues and types into every state, seven in each. */
    private static void fill(JobState state) {
        for (int i = 0; i < 7; i++) {
            String name = i % 2 == 0 ? "a" : "b";
            String type = i % 3 == 0 ? "x" : "y";
            switch (state) {
                case PENDING -> queue.publish(name, type, i % 2, null);
                case SCHEDULED -> queue.publish(name, type, 0, Duration.ofHours(i + 1));
                case WAITING -> queue.publishLimited(name, type);
                case RUNNING -> {
                    queue.publish(name, type);
                    queue.claim(name, 1);
                }
                case DEAD -> queue.die(name, type);
                case CANCELLED -> queue.operations.cancel(queue.publish(name, type));
                case COMPLETED -> {
                    queue.publish(name, type);
                    queue.complete(queue.claim(name, 1).get(0));
                }
            }
        }
    }

    @Nested
    class Pages {

        @Test
        void holdEachJobOfAStateOnce() {
            STATES.forEach(JobReaderIntegrationTests::fill);
            for (JobState state : JobState.values()) {
                for (int pageSize : new int[] {1, 2, 7, 1000}) {
                    assertThat(all(JobFilter.of(state), pageSize))
                            .hasSize(7)
                            .allMatch(job -> job.state() == state)
                            .extracting(JobSummary::id)
                            .doesNotHaveDuplicates();
                }
            }
        }

        @Test
        void holdOnlyWhatMatchesQueueAndType() {
            STATES.forEach(JobReaderIntegrationTests::fill);
            for (JobState state : JobState.values()) {
                assertThat(all(JobFilter.of(state).queue("a"), 2))
                        .hasSize(4)
                        .allMatch(job -> job.queue().equals("a"));
                assertThat(all(JobFilter.of(state).type("x"), 2))
                        .hasSize(3)
                        .allMatch(job -> job.type().equals("x"));
                assertThat(all(JobFilter.of(state).queue("b").type("x"), 2)).hasSize(1);
                assertThat(all(JobFilter.of(state).queue("c"), 2)).isEmpty();
            }
        }

        @Test
        void showPendingJobsAsTheyWillBeClaimed() {
            UUID late = queue.publish("a", "t", -1, null);
            UUID first = queue.publish("a", "t", 9, null);
            UUID second = queue.publish("a", "t", 0, null);
            UUID third = queue.publish("a", "t", 0, null);
            assertThat(all(JobFilter.of(JobState.PENDING).queue("a"), 1))
                    .extracting(JobSummary::id)
                    .containsExactly(first, second, third, late);
        }

        @Test
        void showTheFirstLineOfTheLastError() {
            queue.die("a", "t");
            assertThat(all(JobFilter.of(JobState.DEAD), 10))
                    .singleElement()
                    .returns("Boom: it broke", JobSummary::error);
        }

        @Test
        void refuseACursorTheyDidNotGive() {
            assertThatThrownBy(() -> queue.jobs.find(JobFilter.of(JobState.PENDING), new JobCursor("?"), 10))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("after is '?': must be what 'next' of the page before said");
            JobFilter filter = JobFilter.of(JobState.PENDING);
            for (String cursor : List.of("nonsense", "[]", "{}", "[1]", "[\"a\", \"b\", \"c\", \"d\"]")) {
                assertThatThrownBy(() -> queue.jobs.find(filter, cursor(cursor), 10))
                        .isInstanceOf(InvalidJobException.class)
                        .hasMessageContaining("must be a cursor that find_jobs returned");
            }
            assertThatThrownBy(() -> queue.jobs.find(filter, JobCursor.START, 1001))
                    .isInstanceOf(InvalidJobException.class);
        }
    }

    @Nested
    class OneJob {

        @Test
        void isFoundWithStepsAndEvents() {
            queue.publish("a", "t");
            ClaimedJob job = queue.claim("a", 1).get(0);
            queue.reports.saveStep(job.lease(), "render", "{\"page\": 1.50}");
            queue.reports.saveStep(job.lease(), "send", null);
            queue.reports.log(job.lease(), "INFO", "halfway");
            queue.reports.progress(job.lease(), 50, "sending");
            UUID id = job.lease().id();

            JobDetails running = queue.jobs.find(id).orElseThrow();
            assertThat(running.state()).isEqualTo(JobState.RUNNING);
            assertThat(running.workerId()).isEqualTo(queue.worker);
            assertThat(running.waited()).isGreaterThanOrEqualTo(Duration.ZERO);
            assertThat(running.ran()).isNull();
            queue.complete(job);

            JobDetails completed = queue.jobs.find(id).orElseThrow();
            assertThat(completed.payload()).isEqualTo("{\"secret\": 1}");
            assertThat(completed.result()).isEqualTo("{\"answer\": 42}");
            assertThat(completed.ran()).isGreaterThanOrEqualTo(Duration.ZERO);
            assertThat(completed.steps())
                    .extracting(JobDetails.Step::name, JobDetails.Step::result)
                    .containsExactly(tuple("render", "{\"page\":1.50}"), tuple("send", null));
            assertThat(completed.events())
                    .extracting(
                            JobDetails.Event::number,
                            JobDetails.Event::kind,
                            JobDetails.Event::level,
                            JobDetails.Event::percent,
                            JobDetails.Event::stage,
                            JobDetails.Event::message)
                    .containsExactly(
                            tuple(1, "LOG", "INFO", null, null, "halfway"),
                            tuple(2, "PROGRESS", null, 50, "sending", null));
        }

        @Test
        void isFoundDeadWithTheReason() {
            JobDetails dead = queue.jobs.find(queue.die("a", "t")).orElseThrow();
            assertThat(dead.state()).isEqualTo(JobState.DEAD);
            assertThat(dead.deadReason()).isEqualTo("no retry wanted after attempt 1");
            assertThat(dead.steps()).isEmpty();
            assertThat(dead.timeout()).isNull();
        }

        @Test
        void isNotFoundWhenNobodyKnowsIt() {
            assertThat(queue.jobs.find(UUID.randomUUID())).isEmpty();
            assertThatThrownBy(() -> queue.api.why(UUID.randomUUID())).isInstanceOf(JobNotFoundException.class);
        }

        @Test
        void isRetriedAtOnceIfItWaitsForItsTime() {
            UUID id = queue.publish("a", "t", 0, Duration.ofHours(1));
            queue.operations.retry(id);
            assertThat(queue.claim("a", 1)).hasSize(1);
            assertThatThrownBy(() -> queue.operations.retry(id))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("RUNNING");
            assertThatThrownBy(() -> queue.operations.retry(UUID.randomUUID()))
                    .isInstanceOf(JobNotFoundException.class);
        }
    }

    @Nested
    class WhyAJobIsNotRunning {

        private List<String> why(UUID id) {
            return queue.jobs.why(id, ObservedQueue.TTL).stream()
                    .map(JobReason::code)
                    .toList();
        }

        @Test
        void tellsThatItsQueueIsPaused() {
            queue.beat(List.of("a"), List.of("t"));
            queue.operations.pause("a");
            assertThat(why(queue.publish("a", "t"))).containsExactly("PAUSED");
        }

        @Test
        void tellsThatItWaitsForItsTime() {
            queue.beat(List.of("a"), List.of("t"));
            assertThat(why(queue.publish("a", "t", 0, Duration.ofHours(1)))).containsExactly("SCHEDULED");
        }

        @Test
        void tellsThatItBacksOff() {
            queue.beat(List.of("a"), List.of("t"));
            UUID id = queue.publish("a", "t");
            ClaimedJob job = queue.claim("a", 1).get(0);
            queue.jdbc
                    .sql("SELECT queue.fail(?, ?, 'boom')")
                    .params(id, job.lease().number())
                    .query()
                    .listOfRows();
            assertThat(why(id)).containsExactly("BACKOFF");
        }

        @Test
        void tellsThatNobodyCanTakeIt() {
            UUID id = queue.publish("a", "t");
            assertThat(why(id)).containsExactly("NO_NODE");
            queue.beat(List.of("b"), List.of("t"));
            assertThat(why(id)).containsExactly("QUEUE_NOT_WORKED");
            queue.beat(List.of("a"), List.of("other"));
            assertThat(why(id)).containsExactly("NO_HANDLER");
            queue.beat(List.of("a"), List.of("t"));
            assertThat(why(id)).containsExactly("DUE");
        }

        @Test
        void tellsThatSlotsAreBusyAndWhatIsBeforeIt() {
            queue.beat(List.of("a"), List.of("t"));
            UUID first = queue.publish("a", "t");
            UUID second = queue.publish("a", "t");
            assertThat(why(second)).containsExactly("JOBS_AHEAD");
            UUID third = queue.publish("a", "t");
            queue.claim("a", 1);
            assertThat(why(first)).containsExactly("RUNNING");
            assertThat(queue.jobs.why(third, ObservedQueue.TTL))
                    .singleElement()
                    .returns("SLOTS_BUSY", JobReason::code)
                    .returns("Jobs of its queue that run now: 1; that are before it: 1.", JobReason::message);
        }

        @Test
        void tellsThatItsWorkerIsGone() {
            queue.beat(List.of("a"), List.of("t"));
            UUID id = queue.publish("a", "t");
            queue.claim("a", 1);
            queue.jdbc
                    .sql("UPDATE queue.worker SET beat_at = now() - interval '1 hour'")
                    .update();
            assertThat(why(id)).containsExactly("RUNNING", "WORKER_GONE");
        }

        @Test
        void tellsThatItsWorkerWasAskedToCancelIt() {
            queue.beat(List.of("a"), List.of("t"));
            UUID id = queue.publish("a", "t");
            queue.claim("a", 1);
            queue.operations.cancel(id);
            assertThat(why(id)).containsExactly("RUNNING", "CANCEL_REQUESTED");
        }

        @Test
        void tellsAllThatHoldsItBack() {
            queue.operations.pause("a");
            assertThat(why(queue.publish("a", "t", 0, Duration.ofHours(1))))
                    .containsExactly("SCHEDULED", "PAUSED", "NO_NODE");
        }

        @Test
        void tellsThatItHasEnded() {
            assertThat(why(queue.die("a", "t"))).containsExactly("DEAD");
            UUID id = queue.publish("a", "t");
            queue.operations.cancel(id);
            assertThat(why(id)).containsExactly("CANCELLED");
            UUID completed = queue.publish("a", "t");
            queue.complete(queue.claim("a", 1).get(0));
            assertThat(why(completed)).containsExactly("COMPLETED");
            assertThat(why(UUID.randomUUID())).isEmpty();
        }
    }
}
