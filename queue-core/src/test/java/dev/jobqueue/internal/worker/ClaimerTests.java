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
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

@Timeout(120)
class ClaimerTests {

    private static final String QUEUE = "default";
    private static final String CLAIMER = "queue-claimer";
    private static final String HELPER = "queue-claimer-helper";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Timeouts timeouts = new Timeouts(job -> {});
    private final Map<String, AtomicInteger> claims = Map.of(CLAIMER, new AtomicInteger(), HELPER, new AtomicInteger());
    private final Set<String> failing = ConcurrentHashMap.newKeySet();
    private volatile boolean dry;
    private volatile boolean waiting;
    private Claimer claimer;

    @AfterEach
    void stop() throws InterruptedException {
        claimer.close();
        timeouts.close();
        threads.shutdownNow();
    }

    @Test
    void hasHelpWithABacklogOfQuickJobsUntilItIsEmpty() {
        start(4, ClaimerTests::quick);
        awaiting().until(() -> claims(HELPER) > 100);

        dry = true;
        claimOnceMore();
        claimOnceMore();
        // one that was about to begin may still come
        int before = claims(HELPER);
        claimOnceMore();
        claimOnceMore();
        assertThat(claims(HELPER) - before).isLessThanOrEqualTo(1);
    }

    private void claimOnceMore() {
        int before = claims(CLAIMER);
        claimer.wakeAll();
        awaiting().until(() -> claims(CLAIMER) > before && !claimer.isAway());
    }

    @Test
    void hasNoHelpWithJobsThatTakeLonger() {
        start(4, ClaimerTests::slow);
        awaiting().until(() -> claims(CLAIMER) > 100);
        assertThat(claims(HELPER)).isZero();
    }

    @Test
    void hasNoHelpWithClaimsThatWaitForOthers() {
        waiting = true;
        start(4, ClaimerTests::quick);
        awaiting().until(() -> claims(CLAIMER) > 30);
        assertThat(claims(HELPER)).isZero();
    }

    @Test
    void hasNoHelpWhereJobsAreHandledInOrder() {
        start(1, ClaimerTests::quick);
        awaiting().until(() -> claims(CLAIMER) > 1_000);
        assertThat(claims(HELPER)).isZero();
    }

    @Test
    void hasHelpAgainAfterAClaimOfTheHelperFailed() {
        failing.add(HELPER);
        start(4, ClaimerTests::quick);
        awaiting().until(() -> claims(HELPER) > 3);
        failing.clear();
        int before = claims(HELPER);
        awaiting().until(() -> claims(HELPER) > before + 100);
    }

    private int claims(String thread) {
        return claims.get(thread).get();
    }

    private void start(int capacity, Predicate<RunningJob> runner) {
        QueueSlots slots = new QueueSlots(QUEUE, capacity, Long.MAX_VALUE, threads, new QueueSlots.Host() {
            @Override
            public boolean handle(RunningJob job) {
                return runner.test(job);
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
                this::claim,
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
    private List<ClaimedJob> claim(Map<String, Integer> limits) {
        String thread = Thread.currentThread().getName();
        claims.get(thread).incrementAndGet();
        if (failing.contains(thread)) {
            throw new IllegalStateException("on purpose");
        }
        long end = System.nanoTime() + (waiting ? limits.get(QUEUE) * 50_000L : 0);
        // slots that become free unpark whoever claims
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
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

    private static boolean quick(RunningJob job) {
        return true;
    }

    private static boolean slow(RunningJob job) {
        job.enter();
        LockSupport.parkNanos(1_000_000);
        job.leave();
        return true;
    }
}
