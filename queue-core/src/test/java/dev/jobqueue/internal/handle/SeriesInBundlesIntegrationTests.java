package dev.jobqueue.internal.handle;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.node.LocalNode;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.BundledJob;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A handler that takes many jobs at once, and knows nothing of the order of its jobs. */
@Timeout(180)
class SeriesInBundlesIntegrationTests {

    private static final int JOBS = 400;

    private final TestDatabase database = CheckedQueue.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final Queue<Integer> handled = new ConcurrentLinkedQueue<>();
    private final Random random = new Random();
    private volatile boolean breaks;
    private @Nullable LocalNode node;

    /** A job of a lane. */
    record Step(int lane, int number) {}

    @BeforeEach
    void start() {
        jdbc.sql("SELECT queue.set_limit('order', kind => 'FIFO', running => 100),"
                        + " queue.use_limits('only', NULL, '{order}', '{lane}'),"
                        + " queue.set_retry_policy('only', max_attempts => 1000, base => '1 ms')")
                .query()
                .listOfRows();
        node = LocalNode.start(
                database, HandlerDefinition.ofBundle("only", Step.class, this::handle, 20), Extensions.NONE);
        // more than a bundle is claimed from now on
        publish(JOBS, "i");
        awaiting().until(() -> ended() == JOBS);
        handled.clear();
    }

    @AfterEach
    void stop() {
        if (node != null) {
            node.close();
        }
    }

    @Test
    void areHandledInOrderWhateverBecomesOfThem() {
        breaks = true;
        publish(JOBS, "-1");
        awaiting().until(() -> {
            jdbc.sql("SELECT queue.retry_jobs('{\"state\": \"SCHEDULED\"}')")
                    .query()
                    .listOfRows();
            wake();
            return ended() == 2 * JOBS;
        });
        assertThat(handled)
                .containsExactlyElementsOf(IntStream.range(0, JOBS).boxed().toList());
    }

    private void handle(List<BundledJob<Step>> jobs) {
        for (BundledJob<Step> job : jobs) {
            switch (breaks ? random.nextInt(60) : 3) {
                case 0 -> job.fail(new IllegalStateException("on purpose"));
                case 1 -> job.release();
                case 2 -> throw new IllegalStateException("on purpose");
                default -> {
                    if (job.isOpen()) {
                        handled.add(job.payload().number());
                    }
                    job.complete(null);
                }
            }
        }
    }

    private void publish(int jobs, String lane) {
        UUID[] ids =
                IntStream.range(0, jobs).mapToObj(each -> UUID.randomUUID()).toArray(UUID[]::new);
        jdbc.sql("SELECT count(queue.publish('only', jsonb_build_object('lane', %s, 'number', i - 1), id => id))"
                                .formatted(lane)
                        + " FROM unnest(?) WITH ORDINALITY AS j (id, i)")
                .param(ids)
                .query(Long.class)
                .single();
        wake();
    }

    private void wake() {
        if (node != null) {
            node.worker().localWorker().wake(Set.of("default"));
        }
    }

    private int ended() {
        return jdbc.sql("SELECT count(*) FROM queue.job_history")
                .query(Integer.class)
                .single();
    }
}
