package dev.jobqueue.internal.slot;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.ClaimedJobs;
import dev.jobqueue.internal.handle.RunningJob;
import dev.jobqueue.internal.handle.Timeouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class QueueSlotsTests {

    private static final int CAPACITY = 8;
    private static final String QUICK = "quick";
    private static final String BLOCKING = "blocking";
    private static final String MEETING = "meeting";
    private static final String WORKING = "working";
    private static final String BROKEN = "broken";
    private static final String LONG = "long";
    private static final String GATED = "gated";
    private static final long MAX_BYTES = 1_000_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Timeouts timeouts = new Timeouts(job -> {}, job -> {});
    private final Queue<Runnable> looks = new ConcurrentLinkedQueue<>();
    private final Random random = new Random(42);

    private final AtomicInteger started = new AtomicInteger();
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger mostRunning = new AtomicInteger();
    private final AtomicInteger handled = new AtomicInteger();
    private final AtomicInteger toldFree = new AtomicInteger();
    private final AtomicLong clock = new AtomicLong();
    private final Semaphore gate = new Semaphore(0);
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final CountDownLatch met = new CountDownLatch(CAPACITY);
    private final Queue<RunningJob> givenBack = new ConcurrentLinkedQueue<>();
    private volatile boolean abandoned;
    private volatile boolean threadless;
    private volatile RunningJob blocked;

    @AfterEach
    void stop() {
        released.countDown();
        gate.release(1_000);
        timeouts.close();
        threads.shutdownNow();
    }

    /** The guard looks only when a test says so, and by a clock that the test moves. */
    @Nested
    class WithoutAGuard {

        private final QueueSlots slots = slots(looks::add, clock::get);

        @Test
        void givesAllSlotsToJobsItKnowsNothingOf() throws Exception {
            slots.accept(jobs(MEETING, CAPACITY));
            met.await();
            awaitActive(slots, 0);
            assertThat(looks).isEmpty();
        }

        @Test
        void givesOneSlotToQuickJobs() {
            makeQuick(slots, 0);
            mostRunning.set(0);
            for (int i = 0; i < 50; i++) {
                slots.accept(jobs(QUICK, 200));
            }
            awaitActive(slots, 0);
            assertThat(mostRunning).hasValue(1);
        }

        @Test
        void givesAllSlotsToTheJobsAfterALongOne() throws Exception {
            makeQuick(slots, 0);
            List<RunningJob> jobs = jobs(WORKING, 1);
            jobs.addAll(jobs(MEETING, CAPACITY));
            slots.accept(jobs);
            met.await();
            awaitActive(slots, 0);
            makeQuick(slots, 0);
        }

        @Test
        void givesEachJobASlotWhileThereAreEnough() throws Exception {
            makeQuick(slots, 0);
            handled.set(0);
            slots.accept(jobs(BLOCKING, 1));
            begun.await();
            slots.accept(jobs(QUICK, CAPACITY - 1));
            awaiting().until(() -> handled.get() == CAPACITY - 1);
        }

        @Test
        void givesTheOthersToAllSlotsWhenTheGuardSeesAJobThatDoesNotEnd() throws Exception {
            makeQuick(slots, 0);
            blockOneBefore(20);
            assertThat(handled).hasValue(0);
            assertThat(slots.active()).isEqualTo(1);
            lookUntilHandled(20);
            awaitActive(slots, 1);
        }

        /** For more is claimed only when somebody says so, and the slots that were held back never began. */
        @Test
        void tellsThatOthersAreFreeBeforeTheLastJobWhichMayNotEnd() throws Exception {
            makeQuick(slots, 0);
            List<RunningJob> jobs = jobs(QUICK, 50);
            slots.wanted();
            slots.wanted();
            jobs.add(job(BLOCKING));
            toldFree.set(0);
            slots.accept(jobs);
            begun.await();
            assertThat(toldFree).hasPositiveValue();
            assertThat(slots.wanted()).isPositive();
        }

        @Test
        void hasMoreAheadWhileJobsAreQuick() {
            makeQuick(slots, 0);
            handle(3_000);
            assertThat(slots.wanted()).isEqualTo(CAPACITY + 2_000);
            handle(3_000);
            slots.accept(jobs(WORKING, 1));
            awaitActive(slots, 0);
            assertThat(slots.wanted()).isEqualTo(CAPACITY + 1_000);
        }

        @Test
        void wantsNoMoreWhileLargePayloadsWait() throws Exception {
            makeQuick(slots, 0);
            slots.wanted();
            handle(500);
            blockOneBefore(20);
            assertThat(slots.wanted()).isGreaterThan(500);
            slots.accept(List.of(job(QUICK, "x".repeat((int) MAX_BYTES))));
            assertThat(slots.wanted()).isZero();
        }

        @Test
        void countsHeadersAndStepsLikeThePayload() {
            String half = "x".repeat((int) MAX_BYTES / 2);
            assertThat(job(QUICK, "{}", half, half).bytes()).isGreaterThanOrEqualTo((int) MAX_BYTES);
        }

        @Test
        void worksOnBesideAJobThatDoesNotEnd() throws Exception {
            makeQuick(slots, 0);
            blockOneBefore(20);
            lookUntilHandled(20);
            makeQuick(slots, 1);
            slots.accept(jobs(QUICK, 1_000));
            awaitActive(slots, 1);
            assertThat(slots.drain()).isEmpty();
        }

        @Test
        void givesTheOthersToAllSlotsWhenAJobTimesOut() throws Exception {
            makeQuick(slots, 0);
            blockOneBefore(20);
            abandoned = true;
            slots.abandon(blocked);
            awaiting().until(() -> handled.get() == 20 && slots.active() == 0);
            released.countDown();
            awaiting().until(() -> running.get() == 0);
            assertThat(slots.active()).isZero();
        }

        @Test
        void looksAtNothingWhileJobsComeSingly() {
            makeQuick(slots, 0);
            for (int i = 0; i < 100; i++) {
                slots.accept(jobs(QUICK, 1));
                awaitActive(slots, 0);
            }
            assertThat(looks).isEmpty();
        }

        @Test
        void looksNoMoreWhenNothingIsBuffered() throws Exception {
            makeQuick(slots, 0);
            blockOneBefore(20);
            assertThat(slots.drain()).hasSize(20);
            assertThat(looks).hasSize(1);
            looks.remove().run();
            assertThat(looks).isEmpty();
            assertThat(slots.active()).isEqualTo(1);
        }

        @Test
        void givesNothingBackWhileTheSlotsKeepUp() {
            handleGated(100, 60);
            endPeriod();
            assertThat(givenBack).isEmpty();
        }

        @Test
        void keepsAsManyJobsAsTheSlotsHandleInAPeriod() {
            handleGated(100, 20);
            endPeriod();
            // 72 wait for the 8 slots, and 20 were handled; each slot may be about to count a job, or to take the next
            assertThat(givenBack.size()).isBetween(72 - 20, 72 - 20 + 2 * CAPACITY);
        }

        @Test
        void leavesNoJobBehind() {
            for (int i = 0; i < 3_000; i++) {
                slots.accept(jobs(i % 100 == 0 ? WORKING : QUICK, 1 + random.nextInt(20)));
                if (i % 10 == 0) {
                    awaitActive(slots, 0);
                    assertThat(slots.drain()).isEmpty();
                }
            }
            assertThat(mostRunning).hasValueLessThanOrEqualTo(CAPACITY);
        }

        private void handleGated(int jobs, int let) {
            slots.accept(jobs(GATED, jobs));
            gate.release(let);
            awaiting().until(() -> handled.get() == let);
        }

        private void endPeriod() {
            clock.addAndGet(BufferWatch.PERIOD_NANOS);
            looks.remove().run();
        }

        private void handle(int quick) {
            slots.accept(jobs(QUICK, quick));
            awaitActive(slots, 0);
        }

        private void blockOneBefore(int quick) throws InterruptedException {
            handled.set(0);
            List<RunningJob> jobs = jobs(BLOCKING, 1);
            blocked = jobs.get(0);
            jobs.addAll(jobs(QUICK, quick));
            slots.accept(jobs);
            begun.await();
        }

        private void lookUntilHandled(int jobs) {
            awaiting().until(() -> {
                Runnable look = looks.poll();
                if (look != null) {
                    look.run();
                }
                return handled.get() == jobs;
            });
        }
    }

    @Nested
    class WithTheGuard {

        private final QueueSlots slots = slots(timeouts::guard, System::nanoTime);

        @Test
        void holdsUpNoJobBehindOneThatDoesNotEnd() {
            makeQuick(slots, 0);
            handled.set(0);
            List<RunningJob> jobs = jobs(QUICK, 100);
            jobs.add(50, job(BLOCKING));
            slots.accept(jobs);
            awaiting().until(() -> handled.get() == 100);
            assertThat(released.getCount()).isEqualTo(1);
        }

        @Test
        void givesBackWhatIsAheadWhenJobsTakeLong() throws Exception {
            makeQuick(slots, 0);
            assertThat(slots.wanted()).isGreaterThan(500);
            slots.accept(jobs(BLOCKING, 500));
            awaiting().until(() -> givenBack.size() == 500 - CAPACITY);
            assertThat(slots.active()).isEqualTo(CAPACITY);
            assertThat(slots.drain()).isEmpty();
            assertThat(slots.wanted()).isZero();
        }

        @Test
        void holdsNothingAheadOfJobsThatTakeLong() {
            for (int i = 0; i < 3; i++) {
                slots.wanted();
                slots.accept(jobs(LONG, CAPACITY));
                awaitActive(slots, 0);
            }
            assertThat(slots.wanted()).isEqualTo(CAPACITY);
            assertThat(givenBack).isEmpty();
        }

        @Test
        void freesTheSlotOfAJobThatThrowsWhateverItIs() {
            slots.accept(jobs(BROKEN, 3 * CAPACITY));
            handled.set(0);
            slots.accept(jobs(QUICK, 3 * CAPACITY));
            awaiting().until(() -> handled.get() == 3 * CAPACITY);
            awaitActive(slots, 0);
        }

        @Test
        void startsTheSlotsLaterIfThereAreNoThreads() {
            threadless = true;
            slots.accept(jobs(QUICK, 3));
            assertThat(slots.active()).isZero();
            threadless = false;
            awaiting().until(() -> handled.get() == 3);
            awaitActive(slots, 0);
        }

        @Test
        void neverTakesMoreSlotsThanThereAre() {
            List<RunningJob> jobs = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                jobs.addAll(jobs(QUICK, random.nextInt(600)));
                jobs.addAll(jobs(WORKING, random.nextInt(5)));
            }
            for (int from = 0; from < jobs.size(); from += 100) {
                slots.accept(jobs.subList(from, Math.min(jobs.size(), from + 100)));
            }
            awaitActive(slots, 0);
            // so many were never claimed at once: what a busy machine does not come to is given back
            assertThat(handled.get() + givenBack.size()).isEqualTo(jobs.size());
            assertThat(mostRunning).hasValueLessThanOrEqualTo(CAPACITY);
        }
    }

    /** Until a claim of many jobs starts one slot only. */
    private void makeQuick(QueueSlots slots, int busy) {
        awaiting().pollDelay(Duration.ZERO).until(() -> {
            int before = started.get();
            slots.accept(jobs(QUICK, 500));
            awaitActive(slots, busy);
            return started.get() == before + 1;
        });
        looks.forEach(Runnable::run);
        looks.clear();
    }

    private static void awaitActive(QueueSlots slots, int count) {
        awaiting().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> slots.active() == count);
    }

    private QueueSlots slots(Consumer<Runnable> guard, LongSupplier time) {
        return new QueueSlots(
                "default",
                CAPACITY,
                MAX_BYTES,
                slot -> {
                    if (threadless) {
                        throw new OutOfMemoryError("on purpose");
                    }
                    started.incrementAndGet();
                    threads.execute(slot);
                },
                new SlotHost() {
                    @Override
                    public boolean handle(RunningJob job) {
                        return QueueSlotsTests.this.handle(job);
                    }

                    @Override
                    public void handle(List<BundledRun> jobs) {
                        throw new UnsupportedOperationException();
                    }

                    @Override
                    public void freed(String queue) {
                        toldFree.incrementAndGet();
                    }

                    @Override
                    public void giveBack(RunningJob job) {
                        givenBack.add(job);
                    }

                    @Override
                    public void later(Runnable look) {
                        guard.accept(look);
                    }

                    @Override
                    public long nanoTime() {
                        return time.getAsLong();
                    }
                });
    }

    private boolean handle(RunningJob job) {
        mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
        try {
            // a quick job is one that did not even begin: its time is zero on the busiest machine
            if (!job.type().equals(QUICK)) {
                job.enter();
                work(job.type());
                job.leave();
            }
            boolean mine = !abandoned || job.type().equals(QUICK);
            handled.addAndGet(mine ? 1 : 0);
            return mine;
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return true;
        } finally {
            running.decrementAndGet();
        }
    }

    private void work(String type) throws InterruptedException {
        switch (type) {
            case BLOCKING -> {
                begun.countDown();
                released.await();
            }
            case LONG -> Thread.sleep(150);
            case GATED -> gate.acquire();
            case BROKEN -> throw new OutOfMemoryError("on purpose");
            case MEETING -> {
                met.countDown();
                met.await();
            }
            default -> {
                long end = System.nanoTime() + Duration.ofMillis(2).toNanos();
                while (System.nanoTime() - end < 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static List<RunningJob> jobs(String type, int count) {
        List<RunningJob> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            jobs.add(job(type));
        }
        return jobs;
    }

    /** Without the tools of a handler, for none is called. */
    private static RunningJob job(String type) {
        return job(type, "{}");
    }

    private static RunningJob job(String type, String payload) {
        return job(type, payload, null, null);
    }

    private static RunningJob job(String type, String payload, @Nullable String headers, @Nullable String steps) {
        return new RunningJob(ClaimedJobs.job(type, "default", payload, headers, steps), false, null);
    }
}
