package dev.jobqueue.internal.claim;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.ClaimedJobs;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.settle.FailureLog;
import dev.jobqueue.internal.settle.Settler;
import dev.jobqueue.internal.slot.Slots;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.support.TransactionOperations;
import tools.jackson.databind.json.JsonMapper;

@Timeout(120)
class ClaimerTests {

    private static final String QUEUE = "default";

    private final AtomicInteger claims = new AtomicInteger();
    private final AtomicInteger confirms = new AtomicInteger();

    /** What the first confirmation does. */
    private volatile Runnable confirming = () -> {};

    private volatile boolean dry;
    private volatile boolean failing;
    private volatile @Nullable String headers;
    private Slots slots;
    private Claimer claimer;

    @AfterEach
    void stop() throws InterruptedException {
        claimer.close();
        slots.stop(Duration.ofSeconds(1));
        slots.close();
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

    /** The claim may have ended because of them. */
    @Test
    void goesOnAfterOneJobWithLargeHeaders() {
        headers = "x".repeat(1_000);
        start(4, 1_000);
        awaiting().until(() -> claims.get() > 10);
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

    /** A pool without a free connection parks the thread, which takes the permit of the wake-up. */
    @Test
    void confirmsWhatIsCommittedWhileItWaitsForAConnection() {
        dry = true;
        confirming = () -> {
            claimer.committed(leases());
            LockSupport.parkNanos(Duration.ofSeconds(1).toNanos());
        };
        start(4);
        awaiting().until(() -> claimer.isIdle(QUEUE));
        claimer.committed(leases());
        awaiting().until(() -> confirms.get() > 1);
    }

    @Test
    void confirmsAgainSoonAfterAFailure() {
        dry = true;
        confirming = () -> {
            throw new IllegalStateException("on purpose");
        };
        start(4);
        awaiting().until(() -> claimer.isIdle(QUEUE));
        claimer.committed(leases());
        awaiting().until(() -> confirms.get() > 1);
    }

    /** Else its jobs would begin while the node stops. */
    @Test
    void handsOverWhatIsUnderWayBeforeItCloses() throws InterruptedException {
        dry = true;
        start(4);
        CountDownLatch called = new CountDownLatch(1);
        AtomicBoolean returned = new AtomicBoolean();
        CompletableFuture<List<ClaimedJob>> taken = CompletableFuture.supplyAsync(() -> take(() -> {
            called.countDown();
            awaiting().until(() -> claimer.loop().state() == Loop.State.OFF);
            returned.set(true);
            return List.of(job());
        }));
        called.await();
        assertThat(claimer.isAway()).isTrue();

        claimer.close();

        assertThat(returned).isTrue();
        assertThat(claimer.isAway()).isFalse();
        assertThat(taken.join()).hasSize(1);
        assertThat(take(() -> List.of(job()))).isNull();
    }

    private @Nullable List<ClaimedJob> take(Supplier<List<ClaimedJob>> call) {
        return claimer.take(Map.of(), call, jobs -> jobs);
    }

    private static DirectLeases leases() {
        return new DirectLeases(UUID.randomUUID(), List.of(-1L), Map.of());
    }

    private void start(int capacity) {
        start(capacity, Long.MAX_VALUE);
    }

    private void start(int capacity, long maxBytes) {
        DriverManagerDataSource none = new DriverManagerDataSource();
        Database database = new Database(none, new Schema("queue"));
        HandlerRegistry handlers = new HandlerRegistry();
        handlers.register(HandlerDefinition.of("work", Void.class, (payload, job) -> null), "the handler of the test");
        JobsInFlight inFlight = new JobsInFlight();
        slots = new Slots(
                new HandlingSetup(
                        new Application(
                                database,
                                handlers,
                                new Json(JsonMapper.builder().build()),
                                Extensions.NONE),
                        new HandlingSetup.Resources(TransactionOperations.withoutTransaction(), null, Thread::new),
                        Map.of(QUEUE, capacity),
                        maxBytes,
                        UUID::randomUUID),
                inFlight,
                outcome -> inFlight.remove(outcome.job()));
        Settler settler = new Settler(
                database.apart(),
                inFlight,
                QueueEvents.NONE,
                new FailureLog(FailureLog.Detail.LINE, System::nanoTime),
                () -> {});
        claimer = new Claimer(new Source(), slots, settler, () -> Duration.ofHours(1), QueueEvents.NONE);
        claimer.start();
    }

    private final class Source implements ClaimSource {

        @Override
        public List<ClaimedJob> claim(Map<String, Integer> limits) {
            return claimed(limits);
        }

        @Override
        public List<ClaimedJob> confirm(List<Long> leases) {
            if (confirms.incrementAndGet() == 1) {
                confirming.run();
            }
            return List.of();
        }

        @Override
        public void notTaken() {}

        @Override
        public void declaredDead() {}
    }

    /** As many as asked for, without end. */
    private List<ClaimedJob> claimed(Map<String, Integer> limits) {
        claims.incrementAndGet();
        if (failing) {
            throw new IllegalStateException("on purpose");
        }
        int most = headers == null ? limits.get(QUEUE) : 1;
        return IntStream.range(0, dry ? 0 : most).mapToObj(number -> job()).toList();
    }

    private ClaimedJob job() {
        return ClaimedJobs.job("work", QUEUE, "{}", headers, null);
    }
}
