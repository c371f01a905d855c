package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.DataAccessException;

/** Limits under whatever may happen at the same time; the database counts at every claim. */
class LanesIntegrationTests {

    private static final int JOBS = 1_500;

    private final TestDatabase database = Session.database();

    @BeforeEach
    void set() throws SQLException {
        try (Session session = Session.open(database)) {
            LimitCheck.install(session);
            session.execute("SELECT queue.set_limit('a', running => 2), queue.set_limit('b', running => 3),"
                    + " queue.set_limit('fifo', kind => 'FIFO', on_dead => 'CONTINUE'),"
                    + " queue.set_limit('rate', rate => 500, burst => 20)");
            session.execute("SELECT queue.use_limits('x', NULL, '{a,b}', '{k,NULL}'),"
                    + " queue.use_limits('y', NULL, '{b,a}', '{NULL,k}'), queue.use_limits('z', NULL, '{a}', '{k}'),"
                    + " queue.use_limits('f', NULL, '{fifo}', '{k}'), queue.use_limits('r', NULL, '{rate}', '{NULL}')");
        }
    }

    @AfterEach
    void audit() throws SQLException {
        Places.audit(database);
    }

    @Test
    void neverPassMoreThanAllowedWhileEverythingBreaks() throws Exception {
        AtomicInteger published = new AtomicInteger();
        Race.run(database, 8, (session, number) -> {
            Random random = new Random();
            if (number < 2) {
                publishAll(session, random, published);
            } else if (number < 6) {
                new Worker(random).work();
            } else if (number == 6) {
                disturb(session, random);
            } else {
                changeLimits(session, random);
            }
            return null;
        });

        try (Session session = Session.open(database)) {
            session.execute("SELECT queue.set_limit('a', running => 2), queue.set_limit('b', running => 3)");
            drain(session);
            assertThat(session.column("SELECT what FROM public.violation")).isEmpty();
            assertThat(session.number(
                            "SELECT (SELECT count(*) FROM queue.job_history) + count(*)" + " FROM queue.dead_letter"))
                    .isEqualTo(published.get());
            assertThat(session.number("SELECT count(*) FROM queue.held")).isZero();
        }
    }

    private static void publishAll(Session session, Random random, AtomicInteger published) throws SQLException {
        for (int i = 0; i < JOBS / 2; i += 5) {
            session.execute("BEGIN");
            for (int n = 0; n < 5; n++) {
                session.execute(
                        "SELECT queue.publish(?, ?, max_attempts => 50)",
                        List.of("x", "y", "z", "f", "r").get(random.nextInt(5)),
                        "{\"k\": %d}".formatted(random.nextInt(6)));
            }
            boolean commits = random.nextInt(10) > 0;
            session.execute(commits ? "COMMIT" : "ROLLBACK");
            if (commits) {
                published.addAndGet(5);
            }
        }
    }

    /** Kills sessions that work, and rescues what they had. */
    private static void disturb(Session session, Random random) throws SQLException {
        for (int i = 0; i < 60; i++) {
            session.execute("SELECT pg_sleep(0.1)");
            if (i % 3 == 0) {
                session.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'"
                                + " ORDER BY random() LIMIT 1");
            }
            session.upkeep.rescue(Duration.ofMillis(300 + random.nextInt(300)), Duration.ZERO, 100);
            session.upkeep.promote(1_000);
        }
    }

    private static void changeLimits(Session session, Random random) throws SQLException {
        for (int i = 0; i < 30; i++) {
            session.execute("SELECT pg_sleep(0.2)");
            session.execute(
                    "SELECT queue.set_limit(?, running => ?)", random.nextBoolean() ? "a" : "b", 1 + random.nextInt(4));
        }
    }

    private static void drain(Session session) throws SQLException {
        for (int i = 0; i < 2_000 && session.number("SELECT count(*) FROM queue.job") > 0; i++) {
            session.execute("SELECT queue.retry_jobs('{\"state\": \"SCHEDULED\"}')");
            session.upkeep.rescue(Duration.ofMillis(1), Duration.ZERO, 1_000);
            session.becomeAnotherWorker();
            if (session.complete(
                            session.claim(100).stream().map(ClaimedJob::lease).toList())
                    .isEmpty()) {
                session.execute("SELECT pg_sleep(0.002)");
            }
        }
        assertThat(session.column("SELECT format('%s %s %s', type, state, limit_keys) FROM queue.live_job LIMIT 10"))
                .isEmpty();
    }

    /** Opens a new session whenever its own is gone, like a pool. */
    private final class Worker {

        private final Random random;

        Worker(Random random) {
            this.random = random;
        }

        void work() throws SQLException {
            long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
            while (System.nanoTime() < end) {
                try (Session session = Session.open(database)) {
                    session.execute("SET application_name = 'victim'");
                    while (System.nanoTime() < end) {
                        work(session);
                    }
                } catch (JobQueueException | DataAccessException | SQLException ex) {
                    // killed, or declared dead
                    assertThat(ex).hasMessageNotContaining("deadlock");
                }
            }
        }

        private void work(Session session) {
            List<JobLease> claims = session.claim(1 + random.nextInt(8)).stream()
                    .map(ClaimedJob::lease)
                    .toList();
            for (JobLease claim : claims) {
                switch (random.nextInt(8)) {
                    case 0 -> session.settlements.failAll(List.of(new Failure(claim, "broken", true)));
                    case 1 -> session.settlements.release(List.of(claim));
                    case 2 -> session.operations.cancel(claim.id());
                    case 3 -> {} // forgotten, and rescued some time
                    default -> session.settlements.completeAll(List.of(new Completion(claim, null)));
                }
            }
        }
    }

    /** The last holder ends while another job is published for the key; a claim looks before, between and after. */
    @ParameterizedTest
    @ValueSource(strings = {"SPC", "SCP", "PSC", "PCS", "CSP", "CPS", "CSCPC", "CPCSC"})
    void findWhatComesWhileTheLastHolderLeaves(String order) throws SQLException {
        try (Session settler = Session.open(database);
                Session publisher = Session.open(database);
                Session worker = Session.open(database)) {
            worker.execute("SELECT queue.set_limit('a', running => 1)");
            publisher.execute("SELECT queue.publish('z', '{\"k\": 1}')");
            JobLease holder = settler.claim(1).get(0).lease();
            settler.execute("BEGIN");
            settler.execute(
                    "SELECT queue.complete_many(ARRAY[?::uuid], ARRAY[?::bigint])", holder.id(), holder.number());
            publisher.execute("BEGIN");
            publisher.execute("SELECT queue.publish('z', '{\"k\": 1}')");
            List<UUID> claimed = new ArrayList<>();
            for (int i = 0; i < order.length(); i++) {
                switch (order.charAt(i)) {
                    case 'S' -> settler.execute("COMMIT");
                    case 'P' -> publisher.execute("COMMIT");
                    default -> claimed.addAll(worker.claimIds(5));
                }
            }
            claimed.addAll(worker.claimIds(5));

            assertThat(claimed).hasSize(1).doesNotContain(holder.id());
        }
    }

    @Test
    void keepTheOrderOfTransactionsThatDoNotOverlap() throws Exception {
        List<UUID> published = new ArrayList<>();
        List<UUID> started = new ArrayList<>();
        try (Session one = Session.open(database);
                Session other = Session.open(database);
                Session late = Session.open(database)) {
            late.execute("BEGIN");
            late.execute("SELECT queue.publish('f', '{\"k\": 1}')");
            for (int i = 0; i < 50; i++) {
                // ids that say nothing of the order
                UUID id = UUID.randomUUID();
                (i % 2 == 0 ? one : other)
                        .execute("SELECT queue.publish('f', '{\"k\": 1}', id => ?, priority => ?)", id, i % 7);
                published.add(id);
                if (i == 25) {
                    late.execute("COMMIT");
                }
                for (ClaimedJob job : one.claim(3)) {
                    started.add(job.lease().id());
                    if (i % 5 == 0) {
                        one.settlements.failAll(List.of(new Failure(job.lease(), "again", true)));
                        assertThat(other.claim(3)).isEmpty();
                        one.execute("SELECT queue.retry(?)", job.lease().id());
                        JobLease again = one.claim(3).get(0).lease();
                        assertThat(again.id()).isEqualTo(job.lease().id());
                        one.complete(List.of(again));
                    } else {
                        one.complete(List.of(job.lease()));
                    }
                }
            }
            for (List<ClaimedJob> rest = one.claim(3); !rest.isEmpty(); rest = one.claim(3)) {
                started.add(rest.get(0).lease().id());
                one.complete(rest.stream().map(ClaimedJob::lease).toList());
            }
        }
        assertThat(started).hasSize(51);
        started.removeIf(id -> !published.contains(id));
        assertThat(started).containsExactlyElementsOf(published);
    }

    @Test
    void costNothingWhileTheyAreFullAndSomebodyHoldsASnapshot() throws SQLException {
        int keys = 5_000;
        try (Session holder = Session.open(database);
                Session worker = Session.open(database)) {
            worker.execute("SELECT queue.set_limit('a', running => 1)");
            holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
            holder.execute("SELECT count(*) FROM queue.job");
            worker.execute(
                    "SELECT count(*) FROM generate_series(0, ? - 1, 1000) AS g, LATERAL queue.publish_many(NULL,"
                            + " array_fill('z'::text, ARRAY[2000]), ARRAY(SELECT format('{\"k\": %s}', g + i % 1000)"
                            + " FROM generate_series(1, 2000) AS i))",
                    keys);
            int running = 0;
            for (List<UUID> some = worker.claimIds(1_000); !some.isEmpty(); some = worker.claimIds(1_000)) {
                running += some.size();
            }
            assertThat(running).isEqualTo(keys);

            for (int i = 0; i < 3; i++) {
                worker.claim(10);
            }
            assertThat(worker.buffers("SELECT count(*) FROM queue.claim(?, '{default}', '{10}')", worker.workerId()))
                    .isLessThan(600);
            worker.execute("SELECT queue.complete_many(ARRAY[r.id], ARRAY[r.lease])"
                    + " FROM (SELECT id, lease FROM queue.live_job WHERE state = 'RUNNING' LIMIT 1) AS r");
            assertThat(worker.claim(10)).hasSize(1);
        }
    }

    @Test
    void letAllGoWhenTheLimitIsRemoved() throws SQLException {
        try (Session worker = Session.open(database)) {
            worker.execute("SELECT queue.set_limit('a', running => 1)");
            worker.execute("SELECT queue.publish_many(NULL, array_fill('z'::text, ARRAY[1000]),"
                    + " array_fill('{\"k\": 1}'::text, ARRAY[1000])) FROM generate_series(1, 10)");
            assertThat(worker.claim(500)).hasSize(1);
            worker.execute("SELECT queue.remove_limit('a')");
            assertThat(worker.claim(500)).hasSize(500);
            assertThat(worker.claim(500)).hasSize(500);
            worker.execute("SELECT queue.set_limit('a', running => 600)");
            assertThat(worker.claim(1_000)).hasSize(599);
        }
    }
}
