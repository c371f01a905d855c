package dev.jobqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.operate.JobFinder.Filter;
import dev.jobqueue.internal.operate.JobFinder.ListedJob;
import dev.jobqueue.internal.operate.JobFinder.Page;
import dev.jobqueue.internal.operate.JobFinder.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class JobFinderIntegrationTests {

    private static final ObservedQueue queue = ObservedQueue.create();

    /** Those that are reached by a claim first: it must not take the pending ones. */
    private static final List<JobState> STATES = List.of(
            JobState.COMPLETED,
            JobState.RUNNING,
            JobState.DEAD,
            JobState.CANCELLED,
            JobState.SCHEDULED,
            JobState.PENDING);

    @BeforeEach
    void clear() {
        queue.clear();
    }

    private static List<ListedJob> all(Filter filter, int pageSize) {
        List<ListedJob> found = new ArrayList<>();
        String after = null;
        do {
            Page page = queue.finder.find(filter, after, pageSize);
            assertThat(page.jobs()).hasSizeLessThanOrEqualTo(pageSize);
            found.addAll(page.jobs());
            after = page.next();
        } while (after != null);
        return found;
    }

    /** Brings jobs of two queues and types into every state, seven in each. */
    private static void fill(JobState state) {
        for (int i = 0; i < 7; i++) {
            String name = i % 2 == 0 ? "a" : "b";
            String type = i % 3 == 0 ? "x" : "y";
            switch (state) {
                case PENDING -> queue.publish(name, type, i % 2, null);
                case SCHEDULED -> queue.publish(name, type, 0, Duration.ofHours(i + 1));
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
            STATES.forEach(JobFinderIntegrationTests::fill);
            for (JobState state : JobState.values()) {
                for (int pageSize : new int[] {1, 2, 7, 1000}) {
                    assertThat(all(new Filter(state, null, null), pageSize))
                            .hasSize(7)
                            .allMatch(job -> job.state() == state)
                            .extracting(ListedJob::id)
                            .doesNotHaveDuplicates();
                }
            }
        }

        @Test
        void holdOnlyWhatMatchesQueueAndType() {
            STATES.forEach(JobFinderIntegrationTests::fill);
            for (JobState state : JobState.values()) {
                assertThat(all(new Filter(state, "a", null), 2))
                        .hasSize(4)
                        .allMatch(job -> job.queue().equals("a"));
                assertThat(all(new Filter(state, null, "x"), 2))
                        .hasSize(3)
                        .allMatch(job -> job.type().equals("x"));
                assertThat(all(new Filter(state, "b", "x"), 2)).hasSize(1);
                assertThat(all(new Filter(state, "c", null), 2)).isEmpty();
            }
        }

        @Test
        void showPendingJobsAsTheyWillBeClaimed() {
            UUID late = queue.publish("a", "t", -1, null);
            UUID first = queue.publish("a", "t", 9, null);
            UUID second = queue.publish("a", "t", 0, null);
            UUID third = queue.publish("a", "t", 0, null);
            assertThat(all(new Filter(JobState.PENDING, "a", null), 1))
                    .extracting(ListedJob::id)
                    .containsExactly(first, second, third, late);
        }

        @Test
        void showTheFirstLineOfTheLastError() {
            queue.die("a", "t");
            assertThat(all(new Filter(JobState.DEAD, null, null), 10))
                    .singleElement()
                    .returns("Boom: it broke", ListedJob::error);
        }

        @Test
        void refuseACursorTheyDidNotGive() {
            Filter filter = new Filter(JobState.PENDING, null, null);
            for (String cursor : List.of("nonsense", "[]", "{}", "[1]", "[\"a\", \"b\", \"c\", \"d\"]")) {
                assertThatThrownBy(() -> queue.finder.find(filter, cursor, 10))
                        .isInstanceOf(InvalidJobException.class)
                        .hasMessageContaining("must be a cursor that find_jobs returned");
            }
            assertThatThrownBy(() -> queue.finder.find(filter, null, 1001)).isInstanceOf(InvalidJobException.class);
        }
    }

    @Nested
    class OneJob {

        @Test
        void isShownWithStepsAndEvents() {
            queue.publish("a", "t");
            ClaimedJob job = queue.claim("a", 1).get(0);
            queue.reports.saveStep(job.claim(), "render", "{\"page\": 1}");
            queue.reports.log(job.claim(), "INFO", "halfway");
            UUID id = job.claim().id();
            assertThat(queue.finder.show(id, true)).contains("secret", "render", "page", "halfway", "RUNNING");
            queue.complete(job);
            assertThat(queue.finder.show(id, true)).contains("secret", "answer", "COMPLETED", "halfway");
        }

        @Test
        void keepsWhatItCarriesToItselfUnlessAsked() {
            queue.publish("a", "t");
            ClaimedJob job = queue.claim("a", 1).get(0);
            queue.reports.saveStep(job.claim(), "render", "{\"page\": 1}");
            queue.complete(job);
            assertThat(queue.finder.show(job.claim().id(), false))
                    .contains("COMPLETED", "render")
                    .doesNotContain("secret", "answer", "page", "headers");
        }

        @Test
        void isNullWhenNobodyKnowsIt() {
            assertThat(queue.finder.show(UUID.randomUUID(), true)).isNull();
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
            return queue.finder.why(id, ObservedQueue.TTL).stream()
                    .map(Reason::code)
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
                    .params(id, job.claim().lease())
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
            assertThat(queue.finder.why(third, ObservedQueue.TTL))
                    .singleElement()
                    .returns("SLOTS_BUSY", Reason::code)
                    .returns("Jobs of its queue that run now: 1; that are before it: 1.", Reason::message);
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
