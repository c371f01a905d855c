package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobExistsException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.OnConflict;
import dev.jobqueue.PublishResult;
import dev.jobqueue.PublishResult.Outcome;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Places;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.publish.NewJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.UniqueRules;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.ConcurrencyFailureException;

/** Unique keys under many publishers and workers at once: nothing is lost, and the newest payload is handled. */
class UniqueKeysIntegrationTests {

    private static final TestDatabase database = Session.database();
    private static final String TYPE = "test";

    @BeforeEach
    void empty() throws SQLException {
        try (Session session = Session.open(database)) {
            for (String table : List.of(
                    "job", "ready", "scheduled", "lease", "worker", "job_history", "dead_letter", "taken_key")) {
                session.execute("DELETE FROM queue." + table);
            }
            session.execute("CREATE TABLE IF NOT EXISTS public.publication (key text, number int)");
            session.execute("CREATE SEQUENCE IF NOT EXISTS public.publication_order");
            session.execute("DELETE FROM public.publication");
            // Back at once after a failure, and never dead: the newest must be handled in the end.
            RetryPolicy policy = new RetryPolicy(10_000, Duration.ofMillis(1), 1, Duration.ofMillis(1), 0);
            session.operations.setRetryPolicy(TYPE, policy, null);
        }
    }

    @AfterEach
    void audit() throws SQLException {
        Places.audit(database);
    }

    private static NewJob job(String key, String payload, Job rules) {
        return NewJobs.with(Uuids.next(), TYPE, payload)
                .delay(rules.delay())
                .uniqueKey(key)
                .uniqueRules(UniqueRules.of(rules))
                .build();
    }

    private static PublishResult publish(Session session, String key, String payload, Job rules) {
        return session.publications
                .publishWithOutcome(List.of(job(key, payload, rules)), false, null)
                .get(0);
    }

    private static Job on(OnConflict onConflict) {
        return Job.of(TYPE, null).onConflict(onConflict);
    }

    /**
     * Each publication of a key takes a number while it holds the key, so the numbers of a key are in the order in
     * which its publications replaced each other.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void handleTheNewestPayloadOfEachKey(int keys) throws Exception {
        int publishers = 5;
        int rounds = 60;
        AtomicInteger publishing = new AtomicInteger(publishers);
        Set<UUID> added = ConcurrentHashMap.newKeySet();
        Queue<String> handled = new ConcurrentLinkedQueue<>();
        Race.run(database, publishers + 4, (session, number) -> {
            Random random = new Random(number);
            if (number < publishers) {
                try {
                    for (int i = 0; i < rounds; i++) {
                        publishNumbered(session, "key" + random.nextInt(keys), random, added);
                    }
                } finally {
                    publishing.decrementAndGet();
                }
            } else {
                while (publishing.get() > 0 || session.number("SELECT count(*) FROM queue.job") > 0) {
                    try {
                        work(session, random, handled, publishing.get() == 0);
                    } catch (LeaseLostException ex) {
                        session.becomeAnotherWorker(); // another one has rescued its jobs
                    }
                }
            }
            return number;
        });

        try (Session session = Session.open(database)) {
            List<String> newest = session.column("SELECT max(number)::text FROM public.publication GROUP BY key");
            assertThat(handled).containsAll(newest);
            assertThat(session.<UUID>column(
                            "SELECT id FROM queue.job_history UNION ALL SELECT id FROM queue.dead_letter"))
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(added);
        }
    }

    private static void publishNumbered(Session session, String key, Random random, Set<UUID> added)
            throws SQLException {
        session.execute("BEGIN");
        // The lock comes first, as in an application that changes what the job is about; the number is the payload.
        session.execute("SELECT pg_advisory_xact_lock(hashtext(?))", key);
        long number = session.number("SELECT nextval('public.publication_order')");
        Job rules = random.nextInt(3) == 0
                ? Job.of(TYPE, null).debounce(key, Duration.ofMillis(random.nextInt(5)), Duration.ofMillis(5))
                : on(OnConflict.REPLACE);
        PublishResult answer = publish(session, key, Long.toString(number), rules);
        session.execute("INSERT INTO public.publication VALUES (?, ?)", key, (int) number);
        boolean kept = random.nextInt(5) > 0;
        session.execute(kept ? "COMMIT" : "ROLLBACK");
        if (kept && answer.isNew()) {
            added.add(answer.id());
        }
    }

    /** Completes most, and fails, releases and rescues some; to the end it completes all. */
    private static void work(Session session, Random random, Queue<String> handled, boolean ending) {
        session.upkeep.promote(100);
        for (ClaimedJob job : session.claim(1 + random.nextInt(3))) {
            int what = ending ? 9 : random.nextInt(10);
            if (what < 2) {
                session.settlements.failAll(List.of(new SettleCalls.Failure(job.lease(), "as planned", true)));
            } else if (what < 3) {
                session.settlements.release(List.of(job.lease()));
            } else if (what < 4) {
                session.upkeep.rescue(Duration.ZERO, Duration.ZERO, 10);
                session.becomeAnotherWorker();
            } else if (session.complete(List.of(job.lease())).isEmpty()) {
                handled.add(job.payload());
            }
        }
        if (ending) {
            session.upkeep.rescue(Duration.ofMillis(500), Duration.ZERO, 10);
            session.becomeAnotherWorker();
        }
    }

    @Test
    void areTakenByOneOfManyThatFail() throws Exception {
        for (int round = 0; round < 20; round++) {
            String key = "round" + round;
            List<UUID> added = Collections.synchronizedList(new ArrayList<>());
            List<UUID> refusedBy = Collections.synchronizedList(new ArrayList<>());
            Race.run(database, 6, (session, number) -> {
                try {
                    added.add(publish(session, key, "1", on(OnConflict.FAIL)).id());
                } catch (JobExistsException ex) {
                    refusedBy.add(ex.jobId());
                }
                return number;
            });
            assertThat(added).hasSize(1);
            assertThat(refusedBy).hasSize(5).containsOnly(added.get(0));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"})
    void areTakenOnceInAWindow(String isolation) throws Exception {
        Job hour = Job.of(TYPE, null).uniqueFor(Duration.ofHours(1));
        Set<UUID> added = ConcurrentHashMap.newKeySet();
        int rounds = 30;
        Race.run(database, 6, (session, number) -> {
            for (int i = 0; i < rounds; i++) {
                if (publishUntilDone(session, isolation, "window" + i, hour).isNew()) {
                    added.add(Uuids.next());
                }
                // Completed at once, so that only the window is in the way of the others.
                session.complete(
                        session.claim(5).stream().map(ClaimedJob::lease).toList());
            }
            return number;
        });

        assertThat(added).hasSize(rounds);
    }

    private static PublishResult publishUntilDone(Session session, String isolation, String key, Job rules)
            throws SQLException {
        while (true) {
            session.execute("BEGIN ISOLATION LEVEL " + isolation);
            try {
                session.execute("SELECT count(*) FROM queue.job");
                PublishResult answer = publish(session, key, "1", rules);
                session.execute("COMMIT");
                return answer;
            } catch (ConcurrencyFailureException ex) {
                session.execute("ROLLBACK");
            } catch (SQLException ex) {
                session.execute("ROLLBACK");
                assertThat(ex.getSQLState()).isEqualTo("40001");
            }
        }
    }

    /** Keys in one order, ids in the other, and workers that lock the jobs by their ids. */
    @Test
    void meetNoDeadlockInWhateverOrder() throws Exception {
        List<String> keys = IntStream.range(0, 30).mapToObj(i -> "key" + i).toList();
        AtomicInteger outcomes = new AtomicInteger();
        Race.run(database, 6, (session, number) -> {
            Random random = new Random(number);
            for (int i = 0; i < 60; i++) {
                List<String> shuffled = new ArrayList<>(keys);
                Collections.shuffle(shuffled, random);
                List<NewJob> jobs = shuffled.stream()
                        .limit(15)
                        .map(key -> job(
                                key,
                                "1",
                                on(random.nextBoolean() ? OnConflict.REPLACE : OnConflict.KEEP)
                                        .uniqueFor(Duration.ofMillis(1))))
                        .toList();
                outcomes.addAndGet(session.publications
                        .publishWithOutcome(jobs, false, null)
                        .size());
                session.complete(
                        session.claim(10).stream().map(ClaimedJob::lease).toList());
            }
            return number;
        });

        assertThat(outcomes).hasValue(6 * 60 * 15);
    }

    /** Publishers one after the other, each in a transaction that holds the key for a while. */
    @ParameterizedTest
    @CsvSource({"REPLACE, 0", "REPLACE, 20", "POSTPONE, 20"})
    void areNotPutOffForEverByAFlood(OnConflict onConflict, int heldMillis) throws Exception {
        Duration maximum = Duration.ofMillis(400);
        Duration delay = Duration.ofMillis(300);
        Job rules = Job.of(TYPE, null).debounce("flood", delay, maximum).onConflict(onConflict);
        int runs = 4;
        AtomicInteger begun = new AtomicInteger();
        Queue<Duration> waits = new ConcurrentLinkedQueue<>();
        Race.run(database, 4, (session, number) -> {
            while (begun.get() < runs) {
                if (number > 0) {
                    session.execute("BEGIN");
                    publish(session, "flood", "1", rules);
                    session.execute("SELECT pg_sleep(? / 1000.0)", heldMillis);
                    session.execute("COMMIT");
                    continue;
                }
                session.upkeep.promote(10);
                for (ClaimedJob job : session.claim(5)) {
                    begun.incrementAndGet();
                    waits.add(Duration.ofMillis(session.number(
                            "SELECT (extract(epoch FROM clock_timestamp() - created_at) * 1000)::bigint"
                                    + " FROM queue.job WHERE id = ?",
                            job.lease().id())));
                    session.complete(List.of(job.lease()));
                }
            }
            return number;
        });

        assertThat(waits).allSatisfy(wait -> assertThat(wait).isBetween(delay, maximum.plusSeconds(5)));
    }

    private static Map<Outcome, Long> count(List<PublishResult> answers) {
        return answers.stream().collect(Collectors.groupingBy(PublishResult::outcome, Collectors.counting()));
    }

    @Test
    void areReplacedByManyAtOnce() throws Exception {
        List<PublishResult> answers = Race.run(
                database, 8, (session, number) -> publish(session, "many", "" + number, on(OnConflict.REPLACE)));

        assertThat(count(answers)).isEqualTo(Map.of(Outcome.NEW, 1L, Outcome.REPLACED, 7L));
        assertThat(answers)
                .extracting(PublishResult::id)
                .containsOnly(answers.get(0).id());
    }
}
