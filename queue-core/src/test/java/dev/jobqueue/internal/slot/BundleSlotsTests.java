package dev.jobqueue.internal.slot;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.RunningJob;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The only slot of a queue whose handler takes many jobs at once. */
@Timeout(60)
class BundleSlotsTests {

    private static final int MAX_BYTES = 1_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final Queue<RunningJob> givenBack = new ConcurrentLinkedQueue<>();
    private volatile boolean broken;
    private volatile boolean blocking;

    @AfterEach
    void stop() {
        released.countDown();
        threads.shutdownNow();
    }

    @Test
    void wantNoMoreWhileALargeBundleIsInHand() throws Exception {
        QueueSlots slots = slots();
        handle(slots, 100);
        slots.wanted();
        handle(slots, 100);
        blocking = true;
        slots.accept(Stream.generate(() -> JobBufferTests.job("a", "x".repeat(MAX_BYTES / 2)))
                .limit(2)
                .toList());
        begun.await();
        assertThat(slots.wanted()).isZero();
        released.countDown();
        awaiting().until(() -> slots.active() == 0);
        assertThat(slots.wanted()).isPositive();
    }

    @Test
    void wantMoreWhileASmallBundleIsInHand() throws Exception {
        QueueSlots slots = slots();
        handle(slots, 100);
        slots.wanted();
        handle(slots, 100);
        blocking = true;
        slots.accept(List.of(JobBufferTests.job("a", "{}")));
        begun.await();
        assertThat(slots.wanted()).isPositive();
    }

    private static void handle(QueueSlots slots, int jobs) {
        slots.accept(
                Stream.generate(() -> JobBufferTests.job("a", "{}")).limit(jobs).toList());
        awaiting().until(() -> slots.active() == 0);
    }

    @Test
    void giveBackTheJobThatTheyHadWhenTheyBroke() {
        broken = true;
        QueueSlots slots = slots();
        List<RunningJob> jobs = List.of(JobBufferTests.job("a", "{}"));
        slots.accept(jobs);
        awaiting().until(() -> slots.active() == 0);
        assertThat(givenBack).containsExactlyElementsOf(jobs);
        assertThat(slots.wanted()).isPositive();
    }

    private QueueSlots slots() {
        return new QueueSlots("default", 1, MAX_BYTES, threads, new SlotHost() {
            @Override
            public boolean handle(RunningJob job) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void handle(List<BundledRun> jobs) {
                if (broken) {
                    throw new OutOfMemoryError("on purpose");
                }
                if (!blocking) {
                    return;
                }
                begun.countDown();
                try {
                    released.await();
                } catch (InterruptedException ex) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void freed(String queue) {}

            @Override
            public void giveBack(RunningJob job) {
                givenBack.add(job);
            }

            @Override
            public void later(Runnable look) {}
        });
    }
}
