package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Fifo;
import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.Limit;
import dev.jobqueue.RateLimitedException;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two nodes with the same handlers. */
class LimitedHandlersIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final JobRows rows = new JobRows(database);
    private static Node first;
    private static Node second;

    @BeforeAll
    static void start() {
        first = Node.start(database, Handlers.class, "spring.application.name=shop");
        second = Node.start(database, Handlers.class, "spring.application.name=shop");
        rows.jdbc()
                .sql("CREATE TABLE seen (at timestamptz NOT NULL DEFAULT clock_timestamp(), key text, running int)")
                .update();
    }

    @AfterAll
    static void stop() {
        first.close();
        second.close();
    }

    private static List<UUID> publish(int jobs, String type, int keys) {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            Node node = i % 2 == 0 ? first : second;
            ids.add(node.publisher().publish(Job.of(type, Map.of("account", "acc-" + i % keys, "number", i))));
        }
        return ids;
    }

    /** Jobs are published until both nodes have had some, and two of a key have met. */
    @Test
    void neverRunMoreAtOnceThanTheirLimit() {
        await().until(() -> {
            rows.await(JobState.COMPLETED, publish(100, "crm.sync", 3));
            return Stream.of(first, second)
                            .allMatch(node -> node.bean(Handlers.class).syncs.get() > 0)
                    && mostAtOnce() >= 2;
        });

        assertThat(mostAtOnce()).as("what each run saw in the database").isEqualTo(2);
    }

    private static int mostAtOnce() {
        return rows.jdbc()
                .sql("SELECT coalesce(max(running), 0) FROM seen")
                .query(Integer.class)
                .single();
    }

    @Test
    void runInOrderWhateverNodeHasThem() {
        List<UUID> ids = publish(40, "ledger.book", 2);
        rows.await(JobState.COMPLETED, ids);

        List<Integer> booked = rows.jdbc()
                .sql("SELECT (payload ->> 'number')::int FROM queue.job_history WHERE type = 'ledger.book'"
                        + " AND payload ->> 'account' = 'acc-0' ORDER BY claimed_at")
                .query(Integer.class)
                .list();
        assertThat(booked).hasSize(20).isSorted();
    }

    @Test
    void areNotCalledWhileSomebodyElseSaysThatItIsTooMuch() {
        List<UUID> ids = publish(6, "partner.call", 1);
        rows.await(JobState.COMPLETED, ids);

        List<Instant> calls = new ArrayList<>();
        calls.addAll(first.bean(Handlers.class).calls);
        calls.addAll(second.bean(Handlers.class).calls);
        calls.sort(null);
        assertThat(calls).as("one more than jobs: the refused one").hasSize(7);
        assertThat(Duration.between(calls.get(0), calls.get(1)))
                .as("others of the lane wait as well")
                .isGreaterThanOrEqualTo(Handlers.RETRY_AFTER);
        assertThat(ids).allSatisfy(id -> assertThat(rows.attempt(id)).isEqualTo(1));
    }

    static class Handlers {

        static final Duration RETRY_AFTER = Duration.ofMillis(700);

        private static final AtomicBoolean refused = new AtomicBoolean();

        final AtomicInteger syncs = new AtomicInteger();
        final ConcurrentLinkedQueue<Instant> calls = new ConcurrentLinkedQueue<>();
        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler("crm.sync")
        @Limit(name = "crm", key = "account", running = 2)
        void sync(Map<String, Object> payload) {
            syncs.incrementAndGet();
            jdbc.sql("INSERT INTO seen (key, running) SELECT j.payload ->> 'account', count(*) FROM queue.live_job l"
                            + " JOIN queue.job j ON j.id = l.id WHERE l.type = 'crm.sync' AND l.state = 'RUNNING'"
                            + " GROUP BY 1")
                    .update();
        }

        @JobHandler("ledger.book")
        @Fifo(key = "account")
        void book(Map<String, Object> payload) {}

        /** The first call is refused. */
        @JobHandler("partner.call")
        @Limit(name = "partner", key = "account", running = 1)
        void call(Map<String, Object> payload) {
            calls.add(Instant.now());
            if (refused.compareAndSet(false, true)) {
                throw new RateLimitedException(RETRY_AFTER);
            }
        }
    }
}
