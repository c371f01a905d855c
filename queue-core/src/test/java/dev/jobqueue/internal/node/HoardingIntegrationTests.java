package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A node that handled quick jobs before it met those that take long. */
class HoardingIntegrationTests {

    private static final int SLOTS = 4;
    private static final int LONG_JOBS = 1_500;

    private final TestDatabase database = CheckedQueue.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final CountDownLatch gate = new CountDownLatch(1);
    private final AtomicInteger quick = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicReference<UUID> urgent = new AtomicReference<>();
    private volatile boolean blocking;

    @AfterEach
    void open() {
        gate.countDown();
    }

    @Test
    void givesBackWhatItsSlotsDoNotComeTo() {
        try (LocalNode node = LocalNode.start(
                database, database.dataSource(), database::connect, SLOTS, (payload, job) -> handle(job.id()))) {
            publish(20_000);
            node.worker().localWorker().wake(Set.of("default"));
            awaiting().until(() -> quick.get() > 15_000);
            blocking = true;
            publish(LONG_JOBS);
            node.worker().localWorker().wake(Set.of("default"));
            awaiting().until(() -> running.get() == SLOTS && held() == SLOTS);

            // another node gets its share
            assertThat(jdbc.sql("SELECT count(*) FROM queue.claim(gen_random_uuid(), '{default}', '{100}')")
                            .query(Long.class)
                            .single())
                    .isEqualTo(100);
            // and one that is urgent is the next to begin
            UUID id = jdbc.sql("SELECT queue.publish('only', '{}', priority => 1000)")
                    .query(UUID.class)
                    .single();
            blocking = false;
            urgent.set(id);
            int before = quick.get();
            gate.countDown();
            awaiting().until(() -> urgent.get() == null);
            assertThat(quick.get() - before).isLessThan(LONG_JOBS / 2);
        }
    }

    private Object handle(UUID id) throws InterruptedException {
        if (blocking) {
            running.incrementAndGet();
            gate.await();
            return "";
        }
        quick.incrementAndGet();
        if (id.equals(urgent.get())) {
            urgent.set(null);
        }
        return "";
    }

    private void publish(int jobs) {
        jdbc.sql("SELECT count(queue.publish('only', '{}')) FROM generate_series(1, ?)")
                .param(jobs)
                .query(Long.class)
                .single();
    }

    /** How many jobs the node has claimed; other workers have none. */
    private long held() {
        return jdbc.sql("SELECT count(*) FROM queue.live_job WHERE state = 'RUNNING'")
                .query(Long.class)
                .single();
    }
}
