package dev.jobqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LimitIntegrationTests {

    private static final LimitedQueue lanes = new LimitedQueue();

    @BeforeEach
    void reset() {
        lanes.queue.reset();
    }

    @AfterEach
    void audit() throws SQLException {
        lanes.queue.audit();
    }

    @Nested
    class Running {

        @BeforeEach
        void twoForEachAccount() {
            lanes.limit("'crm', running => 2");
            lanes.use("sync", "{crm}", "{account.id}");
        }

        @Test
        void letsSoManyOfEachKeyPass() {
            List<UUID> a = lanes.publish(3, "sync", "{\"account\": {\"id\": 7}}");
            List<UUID> b = lanes.publish(1, "sync", "{\"account\": {\"id\": 8}}");

            assertThat(lanes.claim(10)).containsExactlyInAnyOrder(a.get(0), a.get(1), b.get(0));
            assertThat(lanes.queue.stateOf(a.get(2))).isEqualTo(JobState.WAITING);
            assertThat(lanes.claim(10)).isEmpty();
            lanes.complete(a.get(0));
            assertThat(lanes.claim(10)).containsExactly(a.get(2));
        }

        @Test
        void takesAMissingKeyForTheEmptyOne() {
            lanes.publish(2, "sync", "{}");
            lanes.publish(2, "sync", "{\"account\": 5}");

            assertThat(lanes.claim(10)).hasSize(2);
        }

        @Test
        void leavesOtherJobsAlone() {
            lanes.publish(3, "sync", "{}");
            lanes.publish(3, "other", "{}");

            assertThat(lanes.claim(10)).hasSize(5);
        }

        @Test
        void letsGoWhateverEndsARun() {
            List<UUID> jobs = lanes.publish(4, "sync", "{}");
            lanes.claim(10);
            lanes.fail(jobs.get(0), true);
            lanes.fail(jobs.get(1), false);

            assertThat(lanes.claim(10)).containsExactly(jobs.get(2), jobs.get(3));
            lanes.queue.settlements.snooze(lanes.claimOf(jobs.get(2)), Duration.ofHours(1));
            lanes.queue.promoteAll();
            assertThat(lanes.claim(10)).hasSize(1).containsAnyOf(jobs.get(0), jobs.get(2));
        }

        @Test
        void goesOnAfterARescueAndTakesNothingFromAZombie() {
            List<UUID> jobs = lanes.publish(3, "sync", "{}");
            lanes.claim(10);
            JobLease zombie = lanes.claimOf(jobs.get(0));
            lanes.queue.silenceWorkers();
            lanes.queue.upkeep.rescue(Duration.ofSeconds(20), Duration.ZERO, 100);

            assertThat(lanes.queue.stateOf(jobs.get(0))).isEqualTo(JobState.WAITING);
            List<UUID> again = new LimitedWorker(lanes).claim(10);
            assertThat(again).hasSize(2);
            assertThat(lanes.queue.settlements.completeAll(List.of(new Completion(zombie, null))))
                    .containsExactly(zombie.id());
            assertThat(new LimitedWorker(lanes).claim(10)).isEmpty();
        }

        @Test
        void changesWithItsLimit() {
            List<UUID> jobs = lanes.publish(6, "sync", "{}");
            assertThat(lanes.claim(10)).hasSize(2);
            lanes.limit("'crm', running => 3");
            assertThat(lanes.claim(10)).hasSize(1);
            lanes.limit("'crm', running => 1");
            lanes.complete(jobs.get(0));
            lanes.complete(jobs.get(1));
            assertThat(lanes.claim(10)).isEmpty();
            lanes.complete(jobs.get(2));
            assertThat(lanes.claim(10)).hasSize(1);
            lanes.queue.call("remove_limit('crm')");
            assertThat(lanes.claim(10)).hasSize(2);
        }

        @Test
        void passesTheBatonOfACancelledHead() {
            List<UUID> jobs = lanes.publish(4, "sync", "{}");
            lanes.claim(2);
            assertThat(lanes.queue.operations.cancel(jobs.get(2))).isEqualTo(JobState.CANCELLED);
            lanes.complete(jobs.get(0));

            assertThat(lanes.claim(10)).containsExactly(jobs.get(3));
        }

        @Test
        void staysInItsPriorities() {
            UUID low = lanes.publish("sync", "{}");
            UUID high = lanes.publish("sync", "{}", "priority => 5");

            assertThat(lanes.claim(1)).containsExactly(high);
            assertThat(lanes.queue.one(String.class, "SELECT queue.reprioritise(?, 9)", low))
                    .isEqualTo("WAITING");
            assertThat(lanes.claim(1)).containsExactly(low);
        }

        @Test
        void givesOnlyTypesThatWereAskedFor() {
            lanes.use("other", "{crm}", "{account.id}");
            List<UUID> sync = lanes.publish(1, "sync", "{}");
            List<UUID> other = lanes.publish(2, "other", "{}");

            assertThat(lanes.claimed(10, List.of("other")))
                    .extracting(JobLease::id)
                    .containsExactlyElementsOf(other);
            lanes.complete(other.get(0));
            assertThat(lanes.claimed(10, List.of("other"))).isEmpty();
            assertThat(lanes.claimed(10, List.of("sync")))
                    .extracting(JobLease::id)
                    .containsExactlyElementsOf(sync);
        }

        @Test
        void sharesAClaimWithJobsWithoutLimits() {
            for (int i = 0; i < 20; i++) {
                lanes.publish("sync", "{\"account\": {\"id\": %d}}".formatted(i));
                lanes.publish("other", "{}");
            }
            List<String> types = lanes.claim(10).stream()
                    .map(id -> lanes.queue.one(String.class, "SELECT type FROM queue.job WHERE id = ?", id))
                    .toList();

            assertThat(types).filteredOn("sync"::equals).hasSize(5);
            assertThat(types).hasSize(10);
        }

        @Test
        void isNotClaimedInASnapshotThatMayBeOld() {
            lanes.publish("sync", "{}");
            lanes.publish("other", "{}");
            lanes.queue.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
            try {
                assertThat(lanes.claim(10)).hasSize(1);
            } finally {
                lanes.queue.execute("COMMIT");
            }
        }

        @Test
        void isDueLaterAndThenWaits() {
            lanes.publish(2, "sync", "{}");
            lanes.claim(2);
            UUID later = lanes.publish("sync", "{}", "run_at => now() + interval '1 hour'");

            assertThat(lanes.queue.stateOf(later)).isEqualTo(JobState.SCHEDULED);
            lanes.queue.promoteAll();
            assertThat(lanes.queue.stateOf(later)).isEqualTo(JobState.WAITING);
            lanes.completeRunning();
            assertThat(lanes.claim(10)).containsExactly(later);
        }
    }

    @Nested
    class Several {

        @Test
        void areAllKeptAndTheNarrowestCounts() {
            lanes.limit("'account', running => 2");
            lanes.limit("'all', running => 3");
            lanes.use("sync", "{account,all}", "{a,NULL}");
            lanes.publish(3, "sync", "{\"a\": 1}");
            lanes.publish(3, "sync", "{\"a\": 2}");

            List<UUID> running = lanes.claim(10);
            assertThat(running).hasSize(3);
            assertThat(lanes.claim(10)).isEmpty();
            lanes.complete(running.get(0));
            assertThat(lanes.claim(10)).hasSize(1);
        }

        @Test
        void wakeLinesOfOtherQueues() {
            lanes.limit("'all', running => 1");
            lanes.queue.call("use_limits(NULL, 'default', '{all}')");
            lanes.queue.call("use_limits(NULL, 'other', '{all}')");
            UUID first = lanes.publish("x", "{}");
            UUID second = lanes.publish("x", "{}", "queue => 'other'");
            lanes.claim(1);
            UUID worker = UUID.randomUUID();
            assertThat(lanes.queue.claims.claim(worker, Map.of("other", 1), null))
                    .isEmpty();

            lanes.complete(first);
            assertThat(lanes.queue.claims.claim(worker, Map.of("other", 1), null))
                    .extracting(job -> job.lease().id())
                    .containsExactly(second);
        }

        @Test
        void comeFromThePublisherToo() {
            lanes.limit("'crm', running => 1");
            lanes.limit("'own', running => 1");
            lanes.use("sync", "{crm}", "{header:tenant}");
            lanes.publish("sync", "{}", "headers => '{\"tenant\": \"a\"}'", "limits => '{\"own\": \"x\"}'");
            lanes.publish("sync", "{}", "headers => '{\"tenant\": \"b\"}'", "limits => '{\"own\": \"x\"}'");
            lanes.publish("sync", "{}", "headers => '{\"tenant\": \"c\"}'", "limits => '{\"crm\": \"b\"}'");

            assertThat(lanes.queue.list(String.class, "SELECT limit_keys::text FROM queue.job ORDER BY created_at, id"))
                    .containsExactly("{a,x}", "{b,x}", "{b}");
            assertThat(lanes.claim(10)).hasSize(2);
        }

        @Test
        void areRefusedIfNobodySetThem() {
            lanes.limit("'crm', running => 1");

            lanes.queue
                    .refuses(
                            InvalidJobException.class,
                            () -> lanes.queue.call("publish('x', '{}', limits => '{\"cmr\": \"1\"}')"))
                    .hasMessageContaining("limits is 'cmr': must be a limit that was set (crm)");
        }
    }

    @Nested
    class Fifo {

        private final String one = "{\"account\": 1}";

        @BeforeEach
        void fifo() {
            lanes.limit("'ledger', kind => 'FIFO'");
            lanes.use("book", "{ledger}", "{account}");
        }

        @Test
        void startsOneAfterTheOtherInTheOrderOfPublishing() {
            lanes.use("other", "{ledger}", "{account}");
            UUID first = lanes.publish("book", one);
            UUID second = lanes.publish("other", one, "priority => 100");
            UUID elsewhere = lanes.publish("book", "{\"account\": 2}");

            assertThat(lanes.claim(10)).containsExactlyInAnyOrder(first, elsewhere);
            lanes.complete(first);
            assertThat(lanes.claimed(10, List.of("book"))).isEmpty();
            assertThat(lanes.claimed(10, List.of("other")))
                    .extracting(JobLease::id)
                    .containsExactly(second);
        }

        @Test
        void standsBehindAJobThatIsTriedAgain() {
            List<UUID> jobs = lanes.publish(2, "book", one);
            lanes.claim(10);
            lanes.fail(jobs.get(0), true);

            assertThat(lanes.claim(10)).isEmpty();
            assertThat(lanes.queue
                            .list(String.class, "SELECT message FROM queue.why(?)", jobs.get(1))
                            .get(0))
                    .contains("lane 'ledger' of '1' stands behind job " + jobs.get(0));
            lanes.queue.promoteAll();
            assertThat(lanes.claim(10)).containsExactly(jobs.get(0));
            lanes.queue.settlements.release(List.of(lanes.claimOf(jobs.get(0))));
            assertThat(lanes.claim(10)).containsExactly(jobs.get(0));
            lanes.complete(jobs.get(0));
            assertThat(lanes.claim(10)).containsExactly(jobs.get(1));
        }

        @Test
        void standsBehindADeadLetterUntilItIsReplayed() {
            List<UUID> jobs = lanes.publish(2, "book", one);
            lanes.claim(10);
            lanes.fail(jobs.get(0), false);

            assertThat(lanes.claim(10)).isEmpty();
            assertThat(lanes.queue.one(UUID.class, "SELECT blocked_by FROM queue.find_lanes('ledger')"))
                    .isEqualTo(jobs.get(0));
            lanes.queue.call("replay('" + jobs.get(0) + "')");
            assertThat(lanes.claim(10)).containsExactly(jobs.get(0));
        }

        @Test
        void goesOnWhenTheDeadLetterIsPurgedOrTheLaneReleased() {
            List<UUID> jobs = lanes.publish(3, "book", one);
            lanes.claim(10);
            lanes.fail(jobs.get(0), false);
            lanes.queue.call("purge('" + jobs.get(0) + "')");
            assertThat(lanes.claim(10)).containsExactly(jobs.get(1));
            lanes.fail(jobs.get(1), false);
            assertThat(lanes.claim(10)).isEmpty();
            assertThat(lanes.queue.one(Boolean.class, "SELECT queue.release_lane('ledger', '1')"))
                    .isTrue();
            assertThat(lanes.claim(10)).containsExactly(jobs.get(2));
            assertThat(lanes.queue.one(Boolean.class, "SELECT queue.release_lane('ledger', '1')"))
                    .isFalse();
        }

        @Test
        void goesOnAfterADeadLetterIfItShall() {
            lanes.limit("'ledger', kind => 'FIFO', on_dead => 'CONTINUE'");
            List<UUID> jobs = lanes.publish(2, "book", one);
            lanes.claim(10);
            lanes.fail(jobs.get(0), false);

            assertThat(lanes.claim(10)).containsExactly(jobs.get(1));
        }

        @Test
        void goesOnWhenTheFailedJobIsCancelled() {
            List<UUID> jobs = lanes.publish(2, "book", one);
            lanes.claim(10);
            lanes.fail(jobs.get(0), true);
            lanes.queue.operations.cancel(jobs.get(0));

            assertThat(lanes.claim(10)).containsExactly(jobs.get(1));
        }
    }

    @Nested
    class Rate {

        @Test
        void letsABurstPassAndThenWaits() {
            lanes.limit("'api', rate => 10, period => '1 hour', burst => 3");
            lanes.use("call", "{api}", "{NULL}");
            lanes.publish(10, "call", "{}");

            assertThat(lanes.claim(10)).hasSize(3);
            assertThat(lanes.claim(10)).isEmpty();
            assertThat(lanes.queue.upkeep.promote(10))
                    .hasValueSatisfying(
                            next -> assertThat(next).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(7)));
            lanes.completeRunning();
            assertThat(lanes.claim(10)).isEmpty();
            lanes.letGatesOpen();
            assertThat(lanes.claim(10)).hasSize(3);
        }

        @Test
        void opensForEveryLineThatWaits() {
            lanes.limit("'api', rate => 10, period => '1 hour', burst => 2");
            lanes.limit("'account', running => 1");
            lanes.use("call", "{api,account}", "{NULL,a}");
            for (int i = 0; i < 6; i++) {
                lanes.publish("call", "{\"a\": %d}".formatted(i));
            }
            assertThat(lanes.claim(10)).hasSize(2);
            lanes.letGatesOpen();
            assertThat(lanes.claim(10)).hasSize(2);
            lanes.letGatesOpen();
            assertThat(lanes.claim(10)).hasSize(2);
        }

        @Test
        void isClosedByAJobThatWasTooMuch() {
            lanes.limit("'crm', running => 5");
            lanes.use("sync", "{crm}", "{a}");
            List<UUID> jobs = lanes.publish(2, "sync", "{\"a\": 1}");
            UUID other = lanes.publish("sync", "{\"a\": 2}");
            lanes.claim(1);
            lanes.queue.settlements.rateLimited(lanes.claimOf(jobs.get(0)), Duration.ofHours(1), null);

            assertThat(lanes.queue.job(jobs.get(0)))
                    .containsEntry("state", "SCHEDULED")
                    .containsEntry("attempt", 0);
            assertThat(lanes.claim(10)).containsExactly(other);
            assertThat(lanes.queue
                            .list(String.class, "SELECT message FROM queue.why(?)", jobs.get(1))
                            .get(0))
                    .contains("lane 'crm' of '1' lets no job start now")
                    .contains("opens at");
            lanes.queue.call("close_lane('crm', '1', now())");
            assertThat(lanes.claim(10)).containsExactly(jobs.get(1));
        }

        @Test
        void isOpenWhenTheJobThatClosedItIsDue() {
            lanes.limit("'partner', running => 1, at_limit => 'DROP'");
            lanes.use("call", "{partner}", "{NULL}");
            UUID job = lanes.publish("call", "{}");
            lanes.claim(1);

            lanes.queue.settlements.rateLimited(lanes.claimOf(job), Duration.ofHours(1), null);

            assertThat(lanes.queue.one(
                            Boolean.class,
                            "SELECT c.until <= j.run_at FROM queue.closing c, queue.job j WHERE j.id = ?",
                            job))
                    .isTrue();
        }
    }

    @Nested
    class FairShare {

        @Test
        void startsAJobOfASmallTenantWithinARound() {
            lanes.limit("'tenants', kind => 'FAIR'");
            lanes.use("mail", "{tenants}", "{tenant}");
            lanes.queue.list(
                    UUID.class,
                    "SELECT queue.publish_many(NULL, array_fill('mail'::text, ARRAY[1000]),"
                            + " array_fill('{\"tenant\": \"a\"}'::text, ARRAY[1000])) FROM generate_series(1, 100)");
            lanes.claim(10);
            UUID small = lanes.publish("mail", "{\"tenant\": \"b\"}");

            assertThat(Stream.concat(lanes.claim(10).stream(), lanes.claim(10).stream()))
                    .contains(small);
        }

        @Test
        void takesTurnsWhenJobsArePublishedAndClaimedOneByOne() {
            lanes.limit("'tenants', kind => 'FAIR'");
            lanes.use("mail", "{tenants}", "{tenant}");
            lanes.publish(20, "mail", "{\"tenant\": \"a\"}");
            UUID small = lanes.publish("mail", "{\"tenant\": \"b\"}");

            assertThat(Stream.generate(() -> lanes.claim(1)).limit(3).flatMap(List::stream))
                    .hasSize(3)
                    .contains(small);
        }

        @Test
        void givesTurnsByWeight() {
            lanes.limit("'tenants', kind => 'FAIR', weights => '{\"a\": 3, \"*\": 1}'");
            lanes.use("mail", "{tenants}", "{tenant}");
            lanes.publish(40, "mail", "{\"tenant\": \"a\"}");
            lanes.publish(40, "mail", "{\"tenant\": \"b\"}");

            lanes.claim(20);
            assertThat(lanes.queue.one(
                            Integer.class,
                            "SELECT count(*) FROM queue.live_job WHERE state = 'RUNNING' AND limit_keys = '{a}'"))
                    .isEqualTo(15);
        }
    }

    @Nested
    class AtTheLimit {

        @Test
        void dropsWhatDoesNotPass() {
            lanes.limit("'crm', running => 1, at_limit => 'DROP'");
            lanes.use("sync", "{crm}", "{NULL}");
            List<UUID> jobs = lanes.publish(3, "sync", "{}");

            assertThat(lanes.claim(10)).containsExactly(jobs.get(0));
            assertThat(lanes.queue.stateOf(jobs.get(1))).isEqualTo(JobState.CANCELLED);
            assertThat(lanes.queue.history(jobs.get(2)).get("errors").toString())
                    .contains("Dropped: the limit 'crm' was reached");
        }

        @Test
        void keepsTheNewest() {
            lanes.limit("'crm', running => 1, at_limit => 'REPLACE'");
            lanes.use("sync", "{crm}", "{NULL}");
            List<UUID> jobs = lanes.publish(4, "sync", "{}");

            assertThat(lanes.claim(10)).containsExactly(jobs.get(0));
            assertThat(lanes.queue.stateOf(jobs.get(2))).isEqualTo(JobState.CANCELLED);
            lanes.complete(jobs.get(0));
            assertThat(lanes.claim(10)).containsExactly(jobs.get(3));
        }

        @Test
        void asksTheRunningOneToStop() {
            lanes.limit("'crm', running => 1, at_limit => 'CANCEL_RUNNING'");
            lanes.use("sync", "{crm}", "{NULL}");
            List<UUID> jobs = lanes.publish(2, "sync", "{}");

            assertThat(lanes.claim(10)).containsExactly(jobs.get(0));
            assertThat(lanes.queue.job(jobs.get(0)).get("cancel_requested_at")).isNotNull();
            lanes.queue.settlements.confirmCancel(lanes.claimOf(jobs.get(0)));
            assertThat(lanes.claim(10)).containsExactly(jobs.get(1));
        }
    }

    @Nested
    class Seen {

        @Test
        void inViewsListsAndFigures() {
            lanes.limit("'crm', running => 1");
            lanes.use("sync", "{crm}", "{a}");
            List<UUID> jobs = lanes.publish(3, "sync", "{\"a\": \"acc-7\"}");
            lanes.claim(10);

            assertThat(lanes.queue.row("SELECT held, waiting FROM queue.find_limits()"))
                    .containsEntry("held", 1L)
                    .containsEntry("waiting", 2L);
            assertThat(lanes.queue.row("SELECT key, held, running, waiting FROM queue.find_lanes('crm')"))
                    .containsEntry("key", "acc-7")
                    .containsEntry("running", 1)
                    .containsEntry("waiting", 2L);
            assertThat(lanes.queue.one(Long.class, "SELECT waiting FROM queue.figures()"))
                    .isEqualTo(2);
            assertThat(lanes.queue.one(Long.class, "SELECT jobs FROM queue.count_jobs('{\"state\": \"WAITING\"}')"))
                    .isEqualTo(2);
            assertThat(lanes.queue.one(String.class, "SELECT limits::text FROM queue.find_job(?)", jobs.get(0)))
                    .isEqualTo("{\"crm\": \"acc-7\"}");
            assertThat(lanes.queue
                            .list(String.class, "SELECT message FROM queue.why(?)", jobs.get(2))
                            .get(0))
                    .isEqualTo("lane 'crm' of 'acc-7' has 1 of 1 running: jobs %s; 1 of its type before this one"
                            .formatted(jobs.get(0)));
            assertThat(lanes.queue.one(Long.class, "SELECT jobs FROM queue.cancel_jobs('{\"state\": \"WAITING\"}')"))
                    .isEqualTo(2);
        }
    }

    @Nested
    class LostTurns {

        @Test
        void areFoundByTheUpkeep() {
            lanes.limit("'crm', running => 1");
            lanes.use("sync", "{crm}", "{a}");
            UUID job = lanes.publish("sync", "{}");
            lanes.queue.execute("DELETE FROM queue.turn");
            assertThat(lanes.claim(10)).isEmpty();
            lanes.queue.upkeep.prune(100);

            assertThat(lanes.claim(10)).containsExactly(job);
            lanes.queue.execute("DELETE FROM queue.lease");
            lanes.queue.execute("DELETE FROM queue.job");
            lanes.queue.upkeep.prune(100);
            assertThat(lanes.queue.one(Long.class, "SELECT count(*) FROM queue.held"))
                    .isZero();
        }

        @Test
        void arePlacesOfJobsThatDoNotRunToo() {
            lanes.limit("'crm', running => 2000");
            lanes.queue.list(
                    UUID.class,
                    "SELECT queue.publish('sync', '{}', limits => '{\"crm\": \"\"}') FROM generate_series(1, 1200)");
            assertThat(lanes.claim(2000)).hasSize(1200);
            lanes.queue.execute("INSERT INTO queue.held (gate, n, id, line, name, tells)"
                    + " SELECT gate, n + 1000000, gen_random_uuid(), line, name, tells FROM queue.held LIMIT 1");

            long stray = 1;
            for (int calls = 0; calls < 50 && stray > 0; calls++) {
                lanes.queue.upkeep.prune(100);
                stray = lanes.queue.one(Long.class, "SELECT count(*) - 1200 FROM queue.held");
            }
            assertThat(stray).isZero();
        }
    }

    /** Another worker of the same queue. */
    private record LimitedWorker(LimitedQueue lanes, UUID id) {

        LimitedWorker(LimitedQueue lanes) {
            this(lanes, UUID.randomUUID());
        }

        List<UUID> claim(int most) {
            return lanes.queue.claims.claim(id, Map.of("default", most), null).stream()
                    .map(job -> job.lease().id())
                    .toList();
        }
    }
}
