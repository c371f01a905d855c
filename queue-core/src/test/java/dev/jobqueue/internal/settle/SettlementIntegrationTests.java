package dev.jobqueue.internal.settle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failed;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The arrows that a worker follows out of RUNNING. */
class SettlementIntegrationTests {

    private static final QueueFixture queue = new QueueFixture();

    @BeforeEach
    void reset() {
        queue.reset();
    }

    private static Claim unknown() {
        return new Claim(UUID.randomUUID(), 1);
    }

    /** Of a job that runs, under another lease. */
    private static Claim stale() {
        Claim claim = queue.claimNew();
        return new Claim(claim.id(), claim.lease() - 1);
    }

    /** Of a job that was given back, and waits. */
    private static Claim pending() {
        Claim claim = queue.claimNew();
        queue.settlements.release(List.of(claim));
        return claim;
    }

    @Nested
    class Complete {

        @Test
        void movesTheJobToTheHistory() {
            Claim claim = queue.claimNew();

            queue.settlements.complete(claim, "{\"sent\": true}");

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isZero();
            assertThat(queue.history(claim.id()))
                    .containsEntry("state", "COMPLETED")
                    .containsEntry("attempt", 1)
                    .hasEntrySatisfying("result", result -> assertThat(result).hasToString("{\"sent\": true}"));
        }

        @Test
        void completesManyAndNamesThoseItRefused() {
            Claim one = queue.claimNew();
            Claim two = queue.claimNew();
            Claim stale = stale();
            Claim unknown = unknown();

            List<UUID> refused = queue.settlements.completeAll(List.of(
                    new Completion(one, null),
                    new Completion(stale, "1"),
                    new Completion(two, "2"),
                    new Completion(unknown, null)));

            assertThat(refused).containsExactlyInAnyOrder(stale.id(), unknown.id());
            assertThat(queue.stateOf(one.id())).isEqualTo(JobState.COMPLETED);
            assertThat(queue.history(two.id()).get("result")).hasToString("2");
            assertThat(queue.stateOf(stale.id())).isEqualTo(JobState.RUNNING);
        }

        @Test
        void takesAJobThatIsNamedTwiceOnce() {
            Claim claim = queue.claimNew();

            List<UUID> refused =
                    queue.settlements.completeAll(List.of(new Completion(claim, "1"), new Completion(claim, "1")));

            assertThat(refused).isEmpty();
            assertThat(queue.list(UUID.class, "SELECT id FROM queue.job_history"))
                    .containsExactly(claim.id());
        }

        @Test
        void completesAJobWhoseCancellationCameTooLate() {
            Claim claim = queue.claimNew();
            queue.operations.cancel(claim.id());

            queue.settlements.complete(claim, null);

            assertThat(queue.stateOf(claim.id())).isEqualTo(JobState.COMPLETED);
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            Claim stale = stale();
            Claim pending = pending();

            queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(stale, null))
                    .hasMessageContaining("lease is '%d': job '%s' is RUNNING", stale.lease(), stale.id());
            queue.refuses(LeaseLostException.class, () -> queue.settlements.complete(pending, null))
                    .hasMessageContaining("is PENDING");
            queue.refuses(JobNotFoundException.class, () -> queue.settlements.complete(unknown(), null))
                    .hasMessageContaining("no live job has it");
        }
    }

    @Nested
    class FailToScheduled {

        @Test
        void comesBackLaterWithTheAttemptCountedAndTheErrorKept() {
            Claim claim = queue.claimNew();

            assertThat(fail(claim, true)).isEqualTo(JobState.SCHEDULED);

            assertThat(queue.job(claim.id()))
                    .containsEntry("state", "SCHEDULED")
                    .containsEntry("attempt", 1)
                    .containsEntry("lease", null)
                    .containsEntry("worker_id", null)
                    .containsEntry("claimed_at", null);
            assertThat(queue.one(
                            String.class,
                            "SELECT errors -> 0 ->> 'error' FROM queue.live_job WHERE id = ? AND run_at > now()",
                            claim.id()))
                    .isEqualTo("oops");
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            refusesToFail(true);
        }

        @Test
        void answersForManyInTheOrderGiven() {
            Claim again = queue.claimNew();
            Claim stale = stale();
            Claim dead = queue.claimNew();
            Claim cancelled = queue.claimNew();
            queue.operations.cancel(cancelled.id());

            List<Failed> outcomes = queue.settlements.failAll(List.of(
                    new Failure(stale, "x", true),
                    new Failure(dead, "x", false),
                    new Failure(again, "x", true),
                    new Failure(again, "named twice", true),
                    new Failure(cancelled, "x", true)));

            Instant dueAt = queue.one(Instant.class, "SELECT run_at FROM queue.live_job WHERE id = ?", again.id());
            assertThat(outcomes)
                    .containsExactly(
                            new Failed(stale.id(), null, null),
                            new Failed(dead.id(), JobState.DEAD, null),
                            new Failed(again.id(), JobState.SCHEDULED, dueAt),
                            new Failed(again.id(), null, null),
                            new Failed(cancelled.id(), JobState.CANCELLED, null));
            assertThat(queue.stateOf(stale.id())).isEqualTo(JobState.RUNNING);
        }
    }

    @Nested
    class FailToDead {

        @Test
        void buriesAJobOutOfAttemptsWithAllThatIsKnownOfIt() {
            UUID id =
                    queue.publish("max_attempts => 1", "priority => 4", "unique_key => 'k'", "headers => '{\"h\": 1}'");
            Map<String, Object> live = queue.job(id);
            Claim claim = queue.claim().claim();

            assertThat(fail(claim, true)).isEqualTo(JobState.DEAD);

            assertThat(queue.one(Long.class, "SELECT count(*) FROM queue.live_job"))
                    .isZero();
            Map<String, Object> dead = queue.deadLetter(id);
            assertThat(dead).containsEntry("attempt", 1).containsEntry("reason", "attempt 1 of 1 failed");
            for (String column : List.of(
                    "queue", "type", "priority", "payload", "headers", "max_attempts", "unique_key", "created_at")) {
                assertThat(dead).containsEntry(column, live.get(column));
            }
        }

        @Test
        void buriesAJobAtOnceWhenNoRetryIsWanted() {
            Claim claim = queue.claimNew("max_attempts => 5");

            assertThat(fail(claim, false)).isEqualTo(JobState.DEAD);

            assertThat(queue.deadLetter(claim.id())).containsEntry("reason", "no retry wanted after attempt 1");
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            refusesToFail(false);
        }
    }

    private static JobState fail(Claim claim, boolean retry) {
        return JobState.valueOf(
                queue.one(String.class, "SELECT queue.fail(?, ?, 'oops', ?)", claim.id(), claim.lease(), retry));
    }

    private static void refusesToFail(boolean retry) {
        Claim stale = stale();
        Claim pending = pending();
        String call = "fail('%s', %d, 'oops', " + retry + ")";

        queue.refuses(LeaseLostException.class, () -> queue.call(call.formatted(stale.id(), stale.lease())));
        queue.refuses(LeaseLostException.class, () -> queue.call(call.formatted(pending.id(), pending.lease())));
        queue.refuses(JobNotFoundException.class, () -> queue.call(call.formatted(UUID.randomUUID(), 1)));
        for (Claim claim : List.of(stale, pending, unknown())) {
            List<String> before = queue.everyRow();
            assertThat(queue.settlements.failAll(List.of(new Failure(claim, "oops", retry))))
                    .containsExactly(new Failed(claim.id(), null, null));
            assertThat(queue.everyRow()).isEqualTo(before);
        }
    }

    @Nested
    class Snooze {

        @Test
        void comesBackLaterWithTheAttemptGivenBack() {
            Claim claim = queue.claimNew();
            Instant before = queue.clock();

            queue.settlements.snooze(claim, Duration.ofHours(2));

            assertThat(queue.job(claim.id()))
                    .containsEntry("state", "SCHEDULED")
                    .containsEntry("attempt", 0)
                    .containsEntry("lease", null);
            assertThat(queue.one(Instant.class, "SELECT run_at FROM queue.live_job"))
                    .isBetween(before.plus(Duration.ofHours(2)), queue.clock().plus(Duration.ofHours(2)));
        }

        @Test
        void cancelsAJobThatWasAskedToStop() {
            Claim claim = queue.claimNew();
            queue.operations.cancel(claim.id());

            queue.settlements.snooze(claim, Duration.ofHours(2));

            assertThat(queue.stateOf(claim.id())).isEqualTo(JobState.CANCELLED);
        }

        @Test
        void refusesAnotherLeaseAWaitingJobAndAnUnknownOne() {
            Claim stale = stale();
            Claim pending = pending();

            queue.refuses(LeaseLostException.class, () -> queue.settlements.snooze(stale, Duration.ZERO));
            queue.refuses(LeaseLostException.class, () -> queue.settlements.snooze(pending, Duration.ZERO));
            queue.refuses(JobNotFoundException.class, () -> queue.settlements.snooze(unknown(), Duration.ZERO));
        }

        @Test
        void refusesADelayBelowZero() {
            Claim claim = queue.claimNew();

            queue.refuses(InvalidJobException.class, () -> queue.settlements.snooze(claim, Duration.ofMillis(-1)));
        }
    }

    @Nested
    class Release {

        @Test
        void isAsIfTheJobHadNotBeenClaimed() {
            UUID id = queue.publish("timeout => '1 minute'", "max_attempts => 5");
            Map<String, Object> before = queue.job(id);
            Claim claim = queue.claim().claim();

            assertThat(queue.settlements.release(List.of(claim))).isEmpty();

            assertThat(queue.job(id)).isEqualTo(before);
            assertThat(queue.claim().claim().id()).isEqualTo(id);
        }

        @Test
        void cancelsAJobThatWasAskedToStop() {
            Claim claim = queue.claimNew();
            queue.operations.cancel(claim.id());

            assertThat(queue.settlements.release(List.of(claim))).isEmpty();

            assertThat(queue.stateOf(claim.id())).isEqualTo(JobState.CANCELLED);
        }

        @Test
        void namesThoseItRefusedAndLeavesThemAlone() {
            Claim stale = stale();
            Claim pending = pending();
            Claim unknown = unknown();
            List<String> before = queue.everyRow();

            assertThat(queue.settlements.release(List.of(stale, pending, unknown)))
                    .containsExactlyInAnyOrder(stale.id(), pending.id(), unknown.id());
            assertThat(queue.everyRow()).isEqualTo(before);
        }

        @Test
        void releasesTheOthersOfABatchThatHasARefusedOne() {
            Claim stale = stale();
            Claim mine = queue.claimNew();

            assertThat(queue.settlements.release(List.of(stale, mine))).containsExactly(stale.id());
            assertThat(queue.stateOf(mine.id())).isEqualTo(JobState.PENDING);
        }

        @Test
        void ofAJobThatHadBegunEndsItAfterThreeMoreThanItsAttempts() {
            UUID id = queue.publish("max_attempts => 2");
            for (int time = 1; time <= 4; time++) {
                interrupt();
                assertThat(queue.job(id))
                        .containsEntry("state", "PENDING")
                        .containsEntry("attempt", 0)
                        .containsEntry("spared", time)
                        .containsEntry("errors", null);
            }

            Claim last = interrupt();

            assertThat(queue.deadLetter(id))
                    .containsEntry("reason", "it was running when its worker stopped, 5 times")
                    .extractingByKey("errors")
                    .asString()
                    .contains("stopped while the attempt ran");
            assertThat(queue.settlements.release(List.of(last))).containsExactly(id);
            queue.operations.replay(id);
            assertThat(queue.job(id)).containsEntry("spared", null);
        }

        @Test
        void ofAJobThatHadNotBegunNeverEndsIt() {
            UUID id = queue.publish("max_attempts => 1");
            for (int time = 0; time < 10; time++) {
                queue.settlements.release(List.of(queue.claim().claim()));
            }
            assertThat(queue.job(id)).containsEntry("state", "PENDING").containsEntry("spared", null);
        }

        @Test
        void ofAJobThatSomebodyCancelledEndsItAsCancelled() {
            UUID id = queue.publish("max_attempts => 1");
            IntStream.range(0, 3).forEach(time -> interrupt());
            Claim last = queue.claim().claim();
            queue.operations.cancel(id);

            queue.settlements.releaseAll(List.of(new SettleCalls.Release(last, true)));

            assertThat(queue.stateOf(id)).isEqualTo(JobState.CANCELLED);
        }

        private static Claim interrupt() {
            Claim claim = queue.claim().claim();
            assertThat(queue.settlements.releaseAll(List.of(new SettleCalls.Release(claim, true))))
                    .isEmpty();
            return claim;
        }
    }
}
