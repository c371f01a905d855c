package dev.jobqueue.internal.worker;

import static dev.jobqueue.internal.worker.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.store.Claim;
import dev.jobqueue.internal.store.ClaimedJob;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.internal.store.Sql;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Timeout(120)
class ClaimerTests {

    private static final String QUEUE = "default";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Timeouts timeouts = new Timeouts(job -> {});
    private final AtomicInteger claims = new AtomicInteger();
    private volatile boolean dry;
    private volatile boolean failing;
    private Claimer claimer;

    @AfterEach
    void stop() throws InterruptedException {
        claimer.close();
        timeouts.close();
        threads.shutdownNow();
    }

    @Test
    void goesOnByItselfUntilNothingIsLeft() {
        start(4);
        awaiting().until(() -> claims.get() > 100);

        dry = true;
        claimOnceMore();
        claimOnceMore();
        int before = claims.get();
        claimOnceMore();
        assertThat(claims.get() - before).isEqualTo(1);
    }

    private void claimOnceMore() {
        int before = claims.get();
        claimer.wakeAll();
        awaiting().until(() -> claims.get() > before && !claimer.isAway());
    }

    @Test
    void goesOnAfterAClaimFailed() {
        failing = true;
        start(4);
        awaiting().until(() -> claims.get() > 3);
        failing = false;
        int before = claims.get();
        awaiting().until(() -> claims.get() > before + 100);
    }

    /** New jobs start without being claimed only then. */
    @Test
    void isIdleWhenTheLastClaimLeftNothing() {
        failing = true;
        start(4);
        awaiting().until(() -> claims.get() > 1);
        assertThat(claimer.isIdle(QUEUE)).isFalse();

        failing = false;
        awaiting().until(() -> claims.get() > 100);
        assertThat(claimer.isIdle(QUEUE)).isFalse();

        dry = true;
        awaiting().until(() -> claimer.isIdle(QUEUE));
    }

    private void start(int capacity) {
        QueueSlots slots = new QueueSlots(QUEUE, capacity, Long.MAX_VALUE, threads, new QueueSlots.Host() {
            @Override
            public boolean handle(RunningJob job) {
                return true;
            }

            @Override
            public void freed(String queue) {
                claimer.slotFreed(queue);
            }

            @Override
            public void giveBack(RunningJob job) {}

            @Override
            public void later(Runnable look) {
                timeouts.guard(look);
            }
        });
        Sql apart = Sql.apart(new DriverManagerDataSource(), new Schema("queue"));
        JobStore store = new JobStore(apart);
        Settler settler = new Settler(
                apart,
                new JobsInFlight(),
                QueueEvents.NONE,
                new FailureLog(FailureLog.Detail.LINE, System::nanoTime),
                () -> {});
        JobTools tools = new JobTools(store, null, null, timeouts, null);
        claimer = new Claimer(
                new Claimer.ClaimSource() {
                    @Override
                    public List<ClaimedJob> claim(Map<String, Integer> limits) {
                        return claimed(limits);
                    }

                    @Override
                    public List<ClaimedJob> confirm(List<Long> leases) {
                        return List.of();
                    }
                },
                Map.of(QUEUE, slots),
                jobs -> slots.accept(jobs.stream()
                        .map(job -> new RunningJob(job, false, tools))
                        .toList()),
                settler,
                () -> {},
                () -> Duration.ofHours(1),
                QueueEvents.NONE);
        claimer.start();
    }

    /** As many as asked for, without end. */
    private List<ClaimedJob> claimed(Map<String, Integer> limits) {
        claims.incrementAndGet();
        if (failing) {
            throw new IllegalStateException("on purpose");
        }
        return IntStream.range(0, dry ? 0 : limits.get(QUEUE))
                .mapToObj(number -> job())
                .toList();
    }

    private static ClaimedJob job() {
        Instant now = Instant.now();
        return new ClaimedJob(
                new Claim(UUID.randomUUID(), 1), QUEUE, "work", "{}", 1, 3, null, null, null, null, now, now, null, 0);
    }
}
