package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.settle.JobLease;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** FIFO lanes of which one claim takes a series of consecutive jobs. */
class SeriesIntegrationTests {

    private static final String ONE = "{\"account\": 1}";
    private static final LimitedQueue lanes = new LimitedQueue();

    private final UUID worker = UUID.randomUUID();
    private List<UUID> jobs = List.of();

    @BeforeEach
    void fiveOfSeven() {
        lanes.queue.reset();
        lanes.limit("'ledger', kind => 'FIFO', running => 5");
        lanes.use("book", "{ledger}", "{account}");
        jobs = lanes.publish(7, "book", ONE);
    }

    @AfterEach
    void audit() throws SQLException {
        lanes.queue.audit();
    }

    @Test
    void holdNobodyBackBeforeOneOfThemHasStarted() {
        lanes.claimed(1, List.of("other"));

        assertThat(lanes.queue.list(String.class, "SELECT reason FROM queue.why(?)", jobs.get(0)))
                .containsExactly("DUE");
        assertThat(lanes.queue.list(String.class, "SELECT reason FROM queue.why(?)", jobs.get(1)))
                .containsExactly("JOBS_AHEAD");
    }

    @Test
    void areTakenInOrderAndNothingElseStartsMeanwhile() {
        assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(0, 5));
        assertThat(lanes.claim(10)).isEmpty();
        lanes.complete(jobs.get(0));
        lanes.publish("book", ONE);
        assertThat(lanes.claim(10)).as("while others of the run are left").isEmpty();
        lanes.completeRunning();
        assertThat(lanes.claim(10)).hasSize(3).startsWith(jobs.get(5), jobs.get(6));
    }

    @Test
    void standNextToEachOther() {
        List<UUID> others = lanes.publish(3, "book", "{\"account\": 2}");

        List<UUID> claimed = lanes.claim(20);
        assertThat(claimed)
                .hasSize(8)
                .containsSubsequence(jobs.subList(0, 5))
                .containsSubsequence(others)
                .containsSequence(others);
    }

    /** So that workers know which jobs belong together. */
    @Test
    void haveTheLaneInCommon() {
        lanes.publish(2, "book", "{\"account\": 2}");
        lanes.publish("none", ONE);
        lanes.limit("'all', running => 10");
        lanes.publish("none", ONE, "limits => '{\"all\": \"\"}'");

        Map<Long, Long> sizes = lanes.queue.claims.claim(worker, Map.of("default", 20), null).stream()
                .collect(Collectors.groupingBy(
                        job -> Objects.requireNonNullElse(job.lane(), 0L), Collectors.counting()));
        assertThat(sizes).hasSize(3).containsEntry(0L, 2L);
        assertThat(sizes.values()).containsExactlyInAnyOrder(2L, 2L, 5L);
    }

    @Test
    void areShorterForAClaimThatWantsFewer() {
        assertThat(lanes.claim(3)).containsExactlyElementsOf(jobs.subList(0, 3));
        assertThat(lanes.claim(3)).isEmpty();
    }

    @Test
    void areShorterWhenTheBytesAreReached() {
        assertThat(lanes.queue.list(
                        UUID.class,
                        "SELECT id FROM queue.claim(?, '{default}', '{10}', max_bytes => 20)",
                        UUID.randomUUID()))
                .containsExactlyElementsOf(jobs.subList(0, 2));
    }

    @Test
    void endBeforeAJobWithOtherLimitsOrOfAnotherType() {
        lanes.limit("'all', running => 10");
        lanes.use("audit", "{ledger}", "{account}");
        UUID limited = lanes.publish("book", ONE, "limits => '{\"all\": \"\"}'");
        UUID other = lanes.publish("audit", ONE);
        lanes.claim(5);
        lanes.completeRunning();

        assertThat(lanes.claim(10)).containsExactly(jobs.get(5), jobs.get(6));
        lanes.completeRunning();
        assertThat(lanes.claim(10)).containsExactly(limited);
        lanes.completeRunning();
        UUID last = lanes.publish("book", ONE);
        assertThat(lanes.claimed(10, List.of("audit"))).extracting(JobLease::id).containsExactly(other);
        lanes.completeRunning();
        assertThat(lanes.claim(10)).containsExactly(last);
    }

    @Test
    void haveNoGapWhereAnotherLimitIsNarrower() {
        lanes.limit("'all', running => 2");
        lanes.use("both", "{ledger,all}", "{account,NULL}");
        List<UUID> both = lanes.publish(4, "both", "{\"account\": 2}");

        assertThat(lanes.claimed(10, List.of("both"))).extracting(JobLease::id).isEqualTo(both.subList(0, 2));
        lanes.fail(both.get(0), true);
        assertThat(lanes.claimed(10, List.of("both"))).isEmpty();
        lanes.complete(both.get(1));
        lanes.queue.promoteAll();
        assertThat(lanes.claimed(10, List.of("both")))
                .extracting(JobLease::id)
                .isEqualTo(List.of(both.get(0), both.get(2)));
    }

    /** The third of five threw; the fourth and fifth were given back. */
    @Nested
    class WhenTheThirdThrew {

        @BeforeEach
        void throwOnce() {
            lanes.claim(10);
            lanes.complete(jobs.get(0));
            lanes.complete(jobs.get(1));
        }

        @Test
        void comeBackTogetherWhenItIsDue() {
            lanes.fail(jobs.get(2), true);
            release(3, 4);

            assertThat(lanes.claim(10)).isEmpty();
            assertThat(why(5)).contains("stands behind job " + jobs.get(2) + ", which is to be tried again");
            assertThat(why(3)).contains("stands behind job " + jobs.get(2));
            lanes.queue.promoteAll();
            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(2, 7));
        }

        @Test
        void comeBackInTheirOrderWhicheverIsGivenBackFirst() {
            release(4);
            release(3);

            assertThat(lanes.claim(10)).as("while the third runs").isEmpty();
            assertThat(why(6)).contains("runs 1 in order: jobs " + jobs.get(2));
            assertThat(lanes.queue.one(Long.class, "SELECT count(blocked_by) FROM queue.find_lanes('ledger')"))
                    .isZero();
            release(2);
            assertThat(lanes.claim(2)).containsExactly(jobs.get(2), jobs.get(3));
            assertThat(lanes.claim(10)).as("while these two run").isEmpty();
            lanes.completeRunning();
            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(4, 7));
        }

        @Test
        void standBehindADeadLetterUntilItIsReplayed() {
            die();

            assertThat(lanes.queue.one(UUID.class, "SELECT blocked_by FROM queue.find_lanes('ledger')"))
                    .isEqualTo(jobs.get(2));
            assertThat(lanes.queue.one(Long.class, "SELECT blocked FROM queue.find_limits()"))
                    .isEqualTo(1);
            lanes.queue.call("replay('" + jobs.get(2) + "')");
            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(2, 7));
        }

        @Test
        void goOnWhenItIsPurged() {
            die();
            lanes.queue.call("purge('" + jobs.get(2) + "')");

            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(3, 7));
        }

        @Test
        void goOnWhenTheLaneIsReleased() {
            die();
            lanes.queue.call("release_lane('ledger', '1')");

            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(3, 7));
        }

        @Test
        void goOnWithoutItWhereDeadLettersDoNotBlock() {
            lanes.limit("'ledger', kind => 'FIFO', running => 5, on_dead => 'CONTINUE'");
            lanes.fail(jobs.get(2), false);
            assertThat(lanes.claim(10)).as("while the fourth and fifth run").isEmpty();
            release(3, 4);

            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(3, 7));
        }

        @Test
        void goOnWithoutOneThatIsCancelledMeanwhile() {
            lanes.fail(jobs.get(2), true);
            release(3, 4);
            assertThat(lanes.queue.operations.cancel(jobs.get(3))).isEqualTo(JobState.CANCELLED);
            lanes.queue.promoteAll();

            assertThat(lanes.claim(10)).containsExactly(jobs.get(2), jobs.get(4), jobs.get(5), jobs.get(6));
        }

        @Test
        void goOnWithoutItWhenItIsCancelled() {
            lanes.fail(jobs.get(2), true);
            release(3, 4);
            lanes.queue.operations.cancel(jobs.get(2));

            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(3, 7));
        }

        @Test
        void waitForOneThatWasGivenAnotherTime() {
            release(2, 3, 4);
            lanes.queue.call("reschedule('" + jobs.get(3) + "', now() + interval '1 hour')");

            assertThat(lanes.claim(10)).isEmpty();
            lanes.queue.promoteAll();
            assertThat(lanes.claim(10)).containsExactlyElementsOf(jobs.subList(2, 7));
        }

        @Test
        void comeOneByOneWhenTheLimitIsLowered() {
            lanes.fail(jobs.get(2), true);
            lanes.limit("'ledger', kind => 'FIFO'");
            assertThat(lanes.claim(10)).isEmpty();
            release(3, 4);
            lanes.queue.promoteAll();

            for (UUID next : jobs.subList(2, 7)) {
                assertThat(lanes.claim(10)).containsExactly(next);
                assertThat(lanes.claim(10)).isEmpty();
                lanes.complete(next);
            }
        }

        @Test
        void startNothingElseWhenTheLimitIsRaisedMeanwhile() {
            lanes.limit("'ledger', kind => 'FIFO', running => 100");
            assertThat(lanes.claim(10)).isEmpty();
            lanes.completeRunning();
            assertThat(lanes.claim(10)).containsExactly(jobs.get(5), jobs.get(6));
        }

        @Test
        void countOnlyWhatRunsWhenItIsNoFifoAnyMore() {
            lanes.fail(jobs.get(2), true);
            release(3);
            lanes.limit("'ledger', running => 2");

            assertThat(lanes.claim(10)).as("beside the fifth").containsExactly(jobs.get(3));
            lanes.limit("'ledger', kind => 'FIFO', running => 5");
            lanes.complete(jobs.get(3));
            assertThat(lanes.claim(10)).isEmpty();
            lanes.complete(jobs.get(4));
            assertThat(lanes.claim(10)).containsExactly(jobs.get(5), jobs.get(6));
        }

        private void die() {
            lanes.fail(jobs.get(2), false);
            release(3, 4);
            assertThat(lanes.claim(10)).isEmpty();
            assertThat(why(3)).contains("stands behind job " + jobs.get(2) + ", which is dead");
        }
    }

    @Test
    void endWithTheirWorkerAndComeBack() {
        lanes.claim(10);
        lanes.complete(jobs.get(0));
        lanes.queue.silenceWorkers();
        lanes.queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 2);
        assertThat(claimIn("default")).as("while some are not rescued yet").isEmpty();
        lanes.queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 100);

        assertThat(claimIn("default")).containsExactlyElementsOf(jobs.subList(1, 6));
    }

    @Test
    void ofOneKeyInTwoQueuesStartOneAfterTheOther() {
        lanes.publish("book", ONE, "queue => 'other'");
        lanes.claim(10);
        assertThat(claimIn("other")).isEmpty();
        release(0, 1, 2, 3, 4);
        lanes.publish("book", ONE, "queue => 'other'");
        assertThat(claimIn("other")).as("before those that came back").isEmpty();
        assertThat(lanes.claim(10)).hasSize(5);
        lanes.completeRunning();

        assertThat(claimIn("other")).hasSize(2);
        assertThat(lanes.claim(10)).isEmpty();
    }

    /** Two lines of a gate hold it if it was a limit for a while. */
    @Test
    void ofTwoQueuesThatBothHoldTheLaneComeBackOneAfterTheOther() {
        UUID elsewhere = lanes.publish("book", ONE, "queue => 'other'");
        lanes.limit("'ledger', running => 2");
        assertThat(lanes.claim(1)).containsExactly(jobs.get(0));
        assertThat(claimIn("other")).hasSize(1);
        lanes.limit("'ledger', kind => 'FIFO', running => 5");
        release(0);
        assertThat(lanes.claim(10)).as("while one of the other queue runs").isEmpty();
        lanes.queue.settlements.release(List.of(lanes.claimOf(elsewhere)));

        List<UUID> started = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<UUID> some = new ArrayList<>(lanes.claim(10));
            some.addAll(claimIn("other"));
            assertThat(some.contains(elsewhere) ? some.size() : 1).isEqualTo(1);
            started.addAll(some);
            lanes.completeRunning();
        }
        assertThat(started).hasSize(8).contains(elsewhere).containsSubsequence(jobs);
    }

    private List<UUID> claimIn(String queue) {
        return lanes.queue.claims.claim(worker, Map.of(queue, 10), null).stream()
                .map(job -> job.lease().id())
                .toList();
    }

    private void release(int... numbers) {
        for (int number : numbers) {
            lanes.queue.settlements.release(List.of(lanes.claimOf(jobs.get(number))));
        }
    }

    private String why(int number) {
        return String.join("; ", lanes.queue.list(String.class, "SELECT message FROM queue.why(?)", jobs.get(number)));
    }
}
