package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.jobqueue.JobState;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class RetryIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    /** From the error's time to run_at, which are told by one clock. */
    private static final String DELAY =
            "SELECT extract(epoch FROM run_at - (errors -> -1 ->> 'at')::timestamptz)::float8 FROM queue.live_job";

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static void policy(int maxAttempts, Duration base, double factor, Duration maximum, double jitter) {
        queue.operations.setRetryPolicy("mail", new RetryPolicy(maxAttempts, base, factor, maximum, jitter), null);
    }

    private static void fail(JobLease lease, String error) {
        queue.settlements.failAll(List.of(new Failure(lease, error, true)));
    }

    /** Fails the one job of the queue and tells how many seconds it has to wait; then lets them pass. */
    private static double failAndMeasure() {
        fail(queue.claim().lease(), "oops");
        double delay = queue.one(Double.class, DELAY);
        queue.promoteAll();
        return delay;
    }

    private static List<Double> delays(int failures) {
        return IntStream.range(0, failures).mapToObj(i -> failAndMeasure()).toList();
    }

    @Nested
    class TheDelay {

        @Test
        void growsByTheFactorOfThePolicyUpToItsMaximum() {
            policy(10, Duration.ofSeconds(10), 3, Duration.ofSeconds(200), 0);
            queue.publish();

            assertThat(delays(5)).containsExactly(10.0, 30.0, 90.0, 200.0, 200.0);
        }

        @Test
        void isThatOfTheDefaultWithoutAPolicy() {
            queue.publish("max_attempts => 10");

            List<Double> delays = delays(9);

            RetryPolicy policy = RetryPolicy.DEFAULT;
            double longest = policy.maximum().toSeconds();
            double full = policy.backoff().toSeconds();
            assertThat(full).isLessThan(longest);
            for (double delay : delays) {
                assertThat(delay).isBetween(full * (1 - policy.jitter()) - 0.001, full);
                full = Math.min(full * policy.factor(), longest);
            }
            assertThat(full).isEqualTo(longest);
        }

        @Test
        void isThatOfThePolicyAtTheTimeOfTheFailure() {
            policy(10, Duration.ofSeconds(10), 1, Duration.ofSeconds(10), 0);
            queue.publish();
            policy(10, Duration.ofSeconds(77), 1, Duration.ofSeconds(77), 0);

            assertThat(failAndMeasure()).isEqualTo(77.0);
        }

        @Test
        void isShortenedAtRandomByTheJitterAndNeverMore() {
            policy(3, Duration.ofSeconds(100), 1, Duration.ofSeconds(100), 0.5);
            for (int i = 0; i < 200; i++) {
                queue.publish();
            }
            queue.settlements.failAll(queue.claim(UUID.randomUUID(), 200).stream()
                    .map(job -> new Failure(job.lease(), "oops", true))
                    .toList());

            List<Double> delays = queue.list(Double.class, DELAY);

            assertThat(delays)
                    .hasSize(200)
                    .allSatisfy(delay -> assertThat(delay).isBetween(50.0, 100.0));
            // By chance less than once in 2^150: each job has a random number of its own.
            assertThat(delays.stream().collect(Collectors.toSet())).hasSizeGreaterThan(150);
            assertThat(delays).anyMatch(delay -> delay < 75).anyMatch(delay -> delay > 75);
        }

        @Test
        void mayBeNothing() {
            policy(3, Duration.ZERO, 100, Duration.ZERO, 1);
            queue.publish();

            assertThat(failAndMeasure()).isZero();
        }

        @Test
        void doesNotOverflowAfterAHugeNumberOfAttempts() {
            policy(Integer.MAX_VALUE, Duration.ofDays(3_600), 100, Duration.ofDays(3_600), 0);
            queue.publish();
            queue.execute("UPDATE queue.job SET attempt = 2147483647 - 2");

            assertThat(failAndMeasure()).isEqualTo(3_600 * 86_400.0);
            fail(queue.claim().lease(), "last");
            assertThat(queue.one(Integer.class, "SELECT attempt FROM queue.dead_letter"))
                    .isEqualTo(Integer.MAX_VALUE);
        }

        @Test
        void doesNotOverflowWithoutAPolicy() {
            queue.publish("max_attempts => 2000000000");
            queue.execute("UPDATE queue.job SET attempt = 1999999990");

            assertThat(failAndMeasure()).isCloseTo(3420, within(180.001));
        }
    }

    @Nested
    class TheErrors {

        @Test
        void areAllKeptWithAttemptAndTime() {
            Instant before = queue.clock();
            UUID id = queue.publish("max_attempts => 3");
            for (String error : List.of("first", "second", "third")) {
                fail(queue.claim().lease(), error);
                queue.promoteAll();
            }

            assertThat(queue.list(
                            String.class,
                            "SELECT concat_ws(' ', e ->> 'attempt', e ->> 'error') FROM queue.dead_letter,"
                                    + " jsonb_array_elements(errors) WITH ORDINALITY AS x (e, i) WHERE id = ?"
                                    + " ORDER BY i",
                            id))
                    .containsExactly("1 first", "2 second", "3 third");
            List<Instant> times = queue.list(
                    Instant.class,
                    "SELECT (e ->> 'at')::timestamptz FROM queue.dead_letter, jsonb_array_elements(errors) AS e");
            assertThat(times)
                    .hasSize(3)
                    .isSorted()
                    .allSatisfy(at -> assertThat(at).isBetween(before, queue.clock()));
        }

        @Test
        void followTheJobToTheHistory() {
            UUID id = queue.publish();
            failAndMeasure();
            queue.settlements.complete(queue.claim().lease(), null);

            assertThat(queue.one(
                            String.class,
                            "SELECT errors -> 0 ->> 'error' FROM queue.job_history WHERE id = ? AND attempt = 2",
                            id))
                    .isEqualTo("oops");
        }

        @Test
        void areCutWhenVeryLongAndReadableWhenMissing() {
            fail(queue.claimNew(), "x".repeat(50_000));
            JobLease lease = queue.claimNew();
            queue.call("fail('%s', %d, NULL)".formatted(lease.id(), lease.number()));

            assertThat(queue.list(
                            String.class,
                            "SELECT left(errors -> 0 ->> 'error', 30) FROM queue.live_job ORDER BY created_at"))
                    .containsExactly("x".repeat(30), "no error message was given");
            assertThat(queue.one(Integer.class, "SELECT max(length(errors -> 0 ->> 'error')) FROM queue.live_job"))
                    .isEqualTo(20_000);
        }

        @Test
        void keepWhateverTextTheyAre() {
            String error = "'); DROP TABLE queue.job; -- \\u0000 \" {} \n\t\u2603 \uD83D\uDE00 %s";
            fail(queue.claimNew(), error);

            assertThat(queue.one(String.class, "SELECT errors -> 0 ->> 'error' FROM queue.live_job"))
                    .isEqualTo(error);
        }
    }

    @Nested
    class TheLastAttempt {

        @Test
        void endsInTheDeadLetter() {
            UUID id = queue.publish("max_attempts => 2");

            failAndMeasure();
            assertThat(queue.stateOf(id)).isEqualTo(JobState.PENDING);
            fail(queue.claim().lease(), "oops");

            assertThat(queue.deadLetter(id))
                    .containsEntry("attempt", 2)
                    .containsEntry("reason", "attempt 2 of 2 failed");
        }

        @Test
        void isTheFirstWhenNoRetryIsWanted() {
            policy(50, Duration.ofSeconds(1), 2, Duration.ofMinutes(1), 0);
            UUID id = queue.publishDead("hopeless");

            assertThat(queue.deadLetter(id))
                    .containsEntry("attempt", 1)
                    .containsEntry("max_attempts", 50)
                    .containsEntry("reason", "no retry wanted after attempt 1");
        }

        @Test
        void isCountedByClaimsSoThatACrashingJobDies() {
            UUID id = queue.publish("max_attempts => 2");
            for (int i = 0; i < 2; i++) {
                assertThat(queue.claim().attempt()).isEqualTo(i + 1);
                queue.silenceWorkers();
                queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 10);
            }

            assertThat(queue.stateOf(id)).isEqualTo(JobState.DEAD);
        }

        @Test
        void isNotUsedUpBySnoozesAndReleases() {
            UUID id = queue.publish("max_attempts => 1");
            for (int i = 0; i < 5; i++) {
                queue.settlements.snooze(queue.claim().lease(), Duration.ZERO);
                queue.upkeep.promote(10);
                queue.settlements.release(List.of(queue.claim().lease()));
            }

            Map<String, Object> job = queue.job(id);
            assertThat(job).containsEntry("attempt", 0).containsEntry("state", "PENDING");
        }
    }
}
