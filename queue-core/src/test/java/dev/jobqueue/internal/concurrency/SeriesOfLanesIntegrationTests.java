package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;

/** Runs of FIFO lanes while workers die, attempts throw and limits change; the database looks at every claim. */
class SeriesOfLanesIntegrationTests {

    private static final int JOBS = 1_200;

    private final TestDatabase database = Session.database();

    @BeforeEach
    void set() throws SQLException {
        try (Session session = Session.open(database)) {
            session.execute("CREATE TABLE public.violation (what text)");
            session.execute("""
                    CREATE FUNCTION public.look_at_runs() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                        INSERT INTO public.violation
                        SELECT format('%s of %s started while %s was %s', s.seq, s.line, o.seq, o.state)
                        FROM (SELECT j.line, max(j.seq) AS seq FROM queue.job j
                                WHERE j.id = ANY (NEW.ids) GROUP BY j.line) AS s
                            CROSS JOIN LATERAL (
                                SELECT o.seq, o.state FROM queue.live_job o WHERE o.line = s.line
                                    AND o.id <> ALL (NEW.ids) AND (o.seq < s.seq OR o.state = 'RUNNING')
                                UNION ALL
                                SELECT d.seq, 'DEAD' FROM queue.dead_letter d WHERE d.line = s.line) AS o;
                        IF FOUND THEN
                            RAISE WARNING 'a run has started too early';
                        END IF;
                        RETURN NULL;
                    END $$""");
            session.execute("CREATE TRIGGER look_at_runs AFTER INSERT ON queue.lease"
                    + " FOR EACH ROW EXECUTE FUNCTION public.look_at_runs()");
            session.execute("SELECT queue.set_limit('fifo', kind => 'FIFO', running => 5),"
                    + " queue.set_limit('all', running => 12)");
            session.execute("SELECT queue.use_limits('f', NULL, '{fifo}', '{k}'),"
                    + " queue.use_limits('g', NULL, '{fifo,all}', '{k,NULL}')");
        }
    }

    @AfterEach
    void audit() throws SQLException {
        Places.audit(database);
    }

    @Test
    void areInOrderAndOneAtATimeWhileEverythingBreaks() throws Exception {
        AtomicInteger published = new AtomicInteger();
        AtomicInteger runs = new AtomicInteger();
        Race.run(database, 7, (session, number) -> {
            Random random = new Random();
            if (number < 2) {
                publishAll(session, random, number, published);
            } else if (number < 6) {
                work(random, runs);
            } else {
                disturb(session, random);
            }
            return null;
        });

        try (Session session = Session.open(database)) {
            drain(session);
            assertThat(session.column("SELECT what FROM public.violation")).isEmpty();
            assertThat(session.number("SELECT count(*) FROM queue.job_history")).isEqualTo(published.get());
            assertThat(session.number("SELECT count(*) FROM queue.held")).isZero();
            assertThat(runs.get())
                    .as("claims that brought several jobs of a key")
                    .isPositive();
        }
    }

    /** Each key has one publisher, so that its transactions do not overlap. */
    private static void publishAll(Session session, Random random, int publisher, AtomicInteger published)
            throws SQLException {
        for (int i = 0; i < JOBS / 2; i += 5) {
            session.execute("BEGIN");
            for (int n = 0; n < 5; n++) {
                session.execute(
                        "SELECT queue.publish(?, ?, max_attempts => 50)",
                        random.nextInt(10) > 0 ? "f" : "g",
                        "{\"k\": %d}".formatted(2 * random.nextInt(3) + publisher));
            }
            boolean commits = random.nextInt(10) > 0;
            session.execute(commits ? "COMMIT" : "ROLLBACK");
            if (commits) {
                published.addAndGet(5);
            }
        }
    }

    /** Opens a new session whenever its own is gone, like a pool. */
    private void work(Random random, AtomicInteger runs) throws SQLException {
        long end = System.nanoTime() + Duration.ofSeconds(6).toNanos();
        while (System.nanoTime() < end) {
            try (Session session = Session.open(database)) {
                session.execute("SET application_name = 'victim'");
                while (System.nanoTime() < end) {
                    List<ClaimedJob> claimed = session.claim(1 + random.nextInt(12));
                    if (claimed.size() > 1) {
                        runs.incrementAndGet();
                    }
                    handle(
                            session,
                            random,
                            claimed.stream().map(ClaimedJob::lease).toList());
                }
            } catch (JobQueueException | DataAccessException | SQLException ex) {
                // killed, or declared dead
                assertThat(ex).hasMessageNotContaining("deadlock");
            }
        }
    }

    /** Settles what it has done, in order, and gives back the rest. */
    private static void handle(Session session, Random random, List<JobLease> claimed) {
        int done = random.nextInt(claimed.size() + 1);
        session.complete(claimed.subList(0, done));
        List<JobLease> left = claimed.subList(done, claimed.size());
        if (left.isEmpty() || random.nextInt(6) == 0) {
            return; // the rest is forgotten, and rescued some time
        }
        if (random.nextBoolean()) {
            session.settlements.failAll(List.of(new Failure(left.get(0), "broken", random.nextInt(4) > 0)));
            left = left.subList(1, left.size());
        }
        session.settlements.release(left);
    }

    /** Kills sessions that work, rescues what they had bit by bit, brings back the dead, and changes the limit. */
    private static void disturb(Session session, Random random) throws SQLException {
        for (int i = 0; i < 120; i++) {
            session.execute("SELECT pg_sleep(0.05)");
            if (i % 6 == 0) {
                session.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'victim'"
                                + " ORDER BY random() LIMIT 1");
                session.execute("SELECT queue.set_limit('fifo', kind => 'FIFO', running => ?)", 1 + random.nextInt(6));
            }
            session.upkeep.rescue(Duration.ofMillis(300 + random.nextInt(300)), Duration.ZERO, 1 + random.nextInt(3));
            session.upkeep.promote(1 + random.nextInt(5));
            session.execute("SELECT queue.retry_jobs('{\"state\": \"SCHEDULED\"}', max => 2)");
            session.execute("SELECT queue.replay_jobs('{\"state\": \"DEAD\"}', max => 2)");
        }
    }

    private static void drain(Session session) throws SQLException {
        String left = "SELECT (SELECT count(*) FROM queue.job) + (SELECT count(*) FROM queue.dead_letter)";
        for (int i = 0; i < 2_000 && session.number(left) > 0; i++) {
            session.execute("SELECT queue.replay_jobs('{\"state\": \"DEAD\"}')");
            session.execute("SELECT queue.retry_jobs('{\"state\": \"SCHEDULED\"}')");
            session.upkeep.rescue(Duration.ofMillis(1), Duration.ZERO, 1_000);
            session.becomeAnotherWorker();
            session.complete(session.claim(100).stream().map(ClaimedJob::lease).toList());
        }
        assertThat(session.column("SELECT format('%s %s %s', type, state, limit_keys) FROM queue.live_job LIMIT 10"))
                .isEmpty();
    }
}
