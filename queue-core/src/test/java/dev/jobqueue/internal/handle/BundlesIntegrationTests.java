package dev.jobqueue.internal.handle;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobState;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.internal.node.LocalNode;
import dev.jobqueue.internal.operate.OperateCalls;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.BundleFunction;
import dev.jobqueue.spi.BundledJob;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A handler that takes many jobs at once, in the only slot of its queue. */
@Timeout(180)
class BundlesIntegrationTests {

    private static final int MOST = 50;

    private final TestDatabase database = CheckedQueue.create();
    private final JdbcClient jdbc = JdbcClient.create(database.dataSource());
    private final Queue<List<Integer>> bundles = new ConcurrentLinkedQueue<>();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    private final Queue<String> heard = new ConcurrentLinkedQueue<>();
    private volatile BundleFunction<Integer> handler = BundlesIntegrationTests::completeAll;
    private volatile List<BundledJob<Integer>> current = List.of();
    private @Nullable LocalNode node;

    @AfterEach
    void stop() {
        gate.countDown();
        if (node != null) {
            node.close();
        }
    }

    /** Only the first are small: nobody knows yet what the jobs of this queue are. */
    @Test
    void areFullUnderABacklogAndInOrder() {
        int jobs = 40 * MOST;
        publishUnnamed(jobs);
        start(null);
        awaiting().until(() -> ended() == jobs);
        assertThat(bundles.stream().flatMap(List::stream))
                .containsExactlyElementsOf(IntStream.range(0, jobs).boxed().toList());
        assertThat(bundles).hasSizeLessThan(40 + 10);
        assertThat(mostRunning).hasValue(1);
    }

    @Test
    void settleEachJobAtItsOwnEndOnAnyThread() throws Exception {
        begin(null, jobs -> gate.await());
        BundledJob<Integer> one = current.get(1);
        CompletableFuture.runAsync(() -> {
                    one.context().progress(50, "half");
                    assertThat(column(1, "percent::text")).isEqualTo("50");
                    assertThat(one.complete("done")).isTrue();
                })
                .get();
        awaitStates("RUNNING 1", "COMPLETED 1", "RUNNING 1", "RUNNING 1");
        assertThat(column(1, "result::text")).isEqualTo("\"done\"");
        assertThat(one.isOpen()).isFalse();
        assertThat(one.complete("again")).isFalse();
        assertThat(one.fail(new IllegalStateException())).isFalse();
        assertThat(one.release()).isFalse();
        assertThat(running).hasValue(1);

        current.get(0).context().snooze(Duration.ofDays(1));
        assertThat(current.get(0).complete(null)).isTrue();
        current.get(2).context().snooze(Duration.ofDays(1));
        gate.countDown();
        awaitStates("SCHEDULED 0", "COMPLETED 1", "SCHEDULED 0", "SCHEDULED 1");
    }

    @Test
    void failEachJobForItself() {
        startWarm(null);
        handler = jobs -> {
            jobs.get(0).fail(new IllegalStateException("on purpose"));
            jobs.get(1).fail(new PermanentJobException("never"));
        };
        publish("0", "\"no number\"", "2", "3");
        awaitStates("SCHEDULED 1", "DEAD 1", "DEAD 1", "SCHEDULED 1");
        assertThat(bundles).contains(List.of(0, 2, 3));
        assertThat(errors(0)).contains("IllegalStateException: on purpose");
        assertThat(errors(1)).contains("java.lang.Integer");
        assertThat(errors(2)).contains("never");
        assertThat(errors(3)).contains("The handler returned and left the job open.");
    }

    @Test
    void areToldOfAsJobs() {
        begin(null, jobs -> {
            completeAll(jobs.subList(0, 3));
            jobs.get(3).fail(new PermanentJobException("never"));
        });
        awaiting()
                .until(() ->
                        heard.containsAll(List.of("0 started", "2 started", "2 completed", "3 started", "3 dead")));
    }

    @Test
    void failWhatIsOpenWhenTheHandlerThrows() {
        begin(null, jobs -> {
            jobs.get(1).complete(null);
            throw new IllegalStateException("all of them");
        });
        awaitStates("SCHEDULED 1", "COMPLETED 1", "SCHEDULED 1", "SCHEDULED 1");
        assertThat(errors(3)).contains("IllegalStateException: all of them");
    }

    @Test
    void makeAJobDeadWhoseResultCannotBeStored() {
        String tooLong = "x".repeat(9_000_000);
        begin(null, jobs -> {
            completeAll(jobs.subList(1, 4));
            assertThat(jobs.get(0).complete(tooLong)).isTrue();
        });
        awaitStates("DEAD 1", "COMPLETED 1", "COMPLETED 1", "COMPLETED 1");
        assertThat(errors(0)).contains("The result cannot be stored");
    }

    /** More often than a job survives that was running when its workers stopped. */
    @Test
    void putJobsBackAsOftenAsTheyLike() {
        AtomicInteger times = new AtomicInteger();
        begin(null, jobs -> {
            boolean enough = times.addAndGet(jobs.size()) > 100;
            assertThat(jobs).allMatch(job -> enough ? job.complete(null) : job.release());
        });
        awaitStates("COMPLETED 1", "COMPLETED 1", "COMPLETED 1", "COMPLETED 1");
    }

    @Test
    void goOnWithoutAJobThatIsCancelled() throws Exception {
        begin(null, this::waits);
        BundledJob<Integer> cancelled = current.get(2);
        assertThat(operate().cancel(cancelled.context().id())).isEqualTo(JobState.RUNNING);
        awaitStates("RUNNING 1", "RUNNING 1", "CANCELLED 1", "RUNNING 1");
        assertThat(cancelled.isOpen()).isFalse();
        assertThat(cancelled.complete(null)).isFalse();
        gate.countDown();
        awaitStates("COMPLETED 1", "COMPLETED 1", "CANCELLED 1", "COMPLETED 1");
        assertThat(interrupted.get()).isFalse();
    }

    @Test
    void areInterruptedWhenTheLastOpenJobIsCancelled() throws Exception {
        begin(null, this::waits);
        completeAll(current.subList(0, 3));
        operate().cancel(current.get(3).context().id());
        assertThat(interrupted.get()).isTrue();
        awaitStates("COMPLETED 1", "COMPLETED 1", "COMPLETED 1", "CANCELLED 1");
    }

    @Test
    void loseTheirJobsWhenTheNodeIsDeclaredDead() throws Exception {
        begin(null, this::waits);
        List<BundledJob<Integer>> lost = current;
        assertThat(lost.get(0).complete("first")).isTrue();
        awaitStates("COMPLETED 1", "RUNNING 1", "RUNNING 1", "RUNNING 1");
        handler = jobs -> assertThat(jobs).allMatch(job -> job.complete("second"));
        declareDead();
        assertThat(interrupted.get()).isTrue();
        assertThat(lost).noneMatch(BundledJob::isOpen).noneMatch(job -> job.complete("late"));
        awaitStates("COMPLETED 1", "COMPLETED 1", "COMPLETED 1", "COMPLETED 1");
        assertThat(column(0, "result::text")).isEqualTo("\"first\"");
        assertThat(column(3, "result::text")).isEqualTo("\"second\"");
    }

    @Test
    void loseOnlyTheJobWhoseLeaseIsLost() {
        begin(null, jobs -> {
            gate.await();
            jobs.get(1).context().progress(1, "throws what the others have nothing to do with");
        });
        release(1);
        handler = BundlesIntegrationTests::completeAll;
        gate.countDown();
        awaitStates("SCHEDULED 1", "COMPLETED 1", "SCHEDULED 1", "SCHEDULED 1");
        assertThat(errors(0)).contains("Another job of the bundle has lost its lease");
    }

    @Test
    void giveBackWhatIsOpenWhenTheNodeStops() throws Exception {
        begin(null, jobs -> {
            jobs.get(0).complete(null);
            try {
                gate.await();
            } catch (InterruptedException ex) {
                // what was done counts, what failed because of the interrupt does not
                jobs.get(1).complete(null);
                jobs.get(2).fail(ex);
                interrupted.complete(jobs.get(3).isOpen());
            }
        });
        stop(node);
        assertThat(interrupted.get()).isTrue();
        awaitStates("COMPLETED 1", "COMPLETED 1", "PENDING 0", "PENDING 0");
    }

    @Test
    void keepTheirSlotUntilTheHandlerReturnsAfterATimeout() throws Exception {
        CountDownLatch timedOut = new CountDownLatch(1);
        begin(Duration.ofMillis(300), jobs -> {
            try {
                gate.await();
            } catch (InterruptedException ex) {
                timedOut.await();
            }
        });
        handler = BundlesIntegrationTests::completeAll;
        publishUnnamed(1);
        awaitStates("SCHEDULED 1", "SCHEDULED 1", "SCHEDULED 1", "SCHEDULED 1");
        assertThat(errors(0)).contains("The attempt timed out on worker");
        assertThat(current).hasSize(4).noneMatch(BundledJob::isOpen);
        int before = ended();
        timedOut.countDown();
        awaiting().until(() -> ended() > before);
        assertThat(mostRunning).hasValue(1);
    }

    @Test
    void loseTheirSlotWhenTheHandlerIgnoresTheInterruptOfATimeout() {
        CountDownLatch deaf = new CountDownLatch(1);
        begin(Duration.ofMillis(300), jobs -> {
            while (deaf.getCount() > 0) {
                try {
                    deaf.await();
                } catch (InterruptedException ex) {
                    // ignored
                }
            }
        });
        handler = BundlesIntegrationTests::completeAll;
        int before = ended();
        publishUnnamed(1);
        awaiting().until(() -> ended() > before);
        assertThat(mostRunning).hasValue(2);
        deaf.countDown();
        awaiting().until(() -> running.get() == 0);
    }

    /** As when its worker lets go of it. */
    private void release(int number) {
        assertThat(jdbc.sql("SELECT count(*) FROM queue.live_job l, queue.release(ARRAY[l.id], ARRAY[l.lease])"
                                + " WHERE l.id = ?")
                        .param(id(number))
                        .query(Long.class)
                        .single())
                .isZero();
    }

    /** What listeners hear, by job. */
    private final class Heard implements JobListener {

        @Override
        public void started(JobEvent.Started run) {
            heard.add(run.id().getLeastSignificantBits() + " started");
        }

        @Override
        public void completed(JobEvent.Ended run) {
            heard.add(run.id().getLeastSignificantBits() + " completed");
        }

        @Override
        public void dead(JobEvent.Ended run) {
            heard.add(run.id().getLeastSignificantBits() + " dead");
        }
    }

    private static void completeAll(List<BundledJob<Integer>> jobs) {
        jobs.forEach(job -> job.complete(null));
    }

    private void waits(List<BundledJob<Integer>> jobs) {
        try {
            gate.await();
            completeAll(jobs);
            interrupted.complete(false);
        } catch (InterruptedException ex) {
            interrupted.complete(true);
        }
    }

    private void start(@Nullable Duration timeout) {
        Extensions extensions = new Extensions(List.of(), true, List::of);
        extensions.start(List.of(new Heard()));
        node = LocalNode.start(
                database,
                HandlerDefinition.ofBundle("only", Integer.class, this::handle, MOST)
                        .timeout(timeout),
                extensions);
    }

    private void handle(List<BundledJob<Integer>> jobs) throws Exception {
        mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
        bundles.add(jobs.stream().map(BundledJob::payload).toList());
        current = jobs;
        try {
            handler.handle(jobs);
        } finally {
            running.decrementAndGet();
        }
    }

    /** Starts a node that has seen that the jobs of this queue come in bundles. */
    private void startWarm(@Nullable Duration timeout) {
        int jobs = 2 * MOST;
        publishUnnamed(jobs);
        start(timeout);
        awaiting().until(() -> ended() == jobs && running.get() == 0);
    }

    /** Lets the handler have four jobs at once, from 0 to 3, and waits until it has them. */
    private void begin(@Nullable Duration timeout, BundleFunction<Integer> function) {
        startWarm(timeout);
        handler = function;
        publish("0", "1", "2", "3");
        awaiting().until(() -> bundles.contains(List.of(0, 1, 2, 3)));
    }

    private void publishUnnamed(int jobs) {
        jdbc.sql("SELECT count(queue.publish('only', i::text::jsonb)) FROM generate_series(0, ? - 1) AS i")
                .param(jobs)
                .query(Long.class)
                .single();
        wake();
    }

    private void publish(String... payloads) {
        List<UUID> ids = IntStream.range(0, payloads.length)
                .mapToObj(BundlesIntegrationTests::id)
                .toList();
        jdbc.sql("SELECT count(queue.publish('only', j.payload, id => j.id)) FROM unnest(?, ?) AS j (id, payload)")
                .params(ids.toArray(UUID[]::new), payloads)
                .query(Long.class)
                .single();
        wake();
    }

    private void wake() {
        if (node != null) {
            node.worker().localWorker().wake(Set.of("default"));
        }
    }

    private static UUID id(int number) {
        return new UUID(0, number);
    }

    /** As if this node had been silent for an hour. */
    private void declareDead() {
        jdbc.sql("UPDATE queue.worker SET beat_at = beat_at - interval '1 day'").update();
        jdbc.sql("SELECT count(*) FROM queue.rescue()").query(Long.class).single();
        wake();
    }

    private static void stop(@Nullable LocalNode running) {
        if (running != null) {
            running.close();
        }
    }

    private OperateCalls operate() {
        return Objects.requireNonNull(node).operations();
    }

    private int ended() {
        return jdbc.sql("SELECT count(*) FROM queue.job_history")
                .query(Integer.class)
                .single();
    }

    private void awaitStates(String... states) {
        awaiting().untilAsserted(() -> {
            List<String> found = new ArrayList<>();
            for (int number = 0; number < states.length; number++) {
                found.add(column(number, "state || ' ' || attempt"));
            }
            assertThat(found).containsExactly(states);
        });
    }

    private String errors(int number) {
        return column(number, "errors::text");
    }

    private String column(int number, String column) {
        return jdbc.sql("SELECT " + column + " FROM queue.find_job(?)")
                .param(id(number))
                .query(String.class)
                .single();
    }
}
