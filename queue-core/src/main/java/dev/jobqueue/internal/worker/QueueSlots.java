package dev.jobqueue.internal.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one queue on this node: at most so many handlers at once, and a buffer of claimed jobs that the next free
 * slot takes. A slot is a loop on a thread, which goes on until the buffer is empty.
 */
final class QueueSlots {

    private static final int MAX_PREFETCH = 1_000;

    private final String queue;
    private final int capacity;
    private final Executor executor;
    private final Predicate<RunningJob> runner;
    private final Runnable onFree;
    private final Queue<RunningJob> buffer = new ConcurrentLinkedQueue<>();
    private final AtomicInteger buffered = new AtomicInteger();
    private final AtomicInteger active = new AtomicInteger();
    private final LongAdder handled = new LongAdder();

    private volatile int prefetch;

    /**
     * @param runner handles a job; {@code false} if the slot was {@linkplain #abandon() abandoned} meanwhile
     * @param onFree called when the buffer runs low
     */
    QueueSlots(String queue, int capacity, Executor executor, Predicate<RunningJob> runner, Runnable onFree) {
        this.queue = queue;
        this.capacity = capacity;
        this.executor = executor;
        this.runner = runner;
        this.onFree = onFree;
    }

    String queue() {
        return queue;
    }

    int capacity() {
        return capacity;
    }

    int active() {
        return active.get();
    }

    /**
     * How many jobs to claim now: one for each free slot, and some ahead if jobs were handled faster than claims come
     * back. Slow jobs are never hoarded, quick ones never waited for. For the claimer only.
     */
    int wanted() {
        int running = active.get();
        int waiting = buffered.get();
        if (running + waiting >= capacity && waiting > prefetch / 2) {
            return 0;
        }
        prefetch = (int) Math.min(MAX_PREFETCH, 2 * handled.sumThenReset());
        return Math.max(0, capacity + prefetch - running - waiting);
    }

    /**
     * Takes what one claim brought. All of it is in the buffer before the first slot starts: slots that are quicker than
     * the claimer would otherwise run dry and start anew for every single job.
     */
    void accept(List<RunningJob> jobs) {
        buffered.addAndGet(jobs.size());
        buffer.addAll(jobs);
        for (int i = 0; i < jobs.size() && takeSlot(); i++) {
            executor.execute(this::loop);
        }
    }

    /** The slot of a job that timed out: its thread may be stuck for ever, so another one takes over. */
    void abandon() {
        active.decrementAndGet();
        if (!buffer.isEmpty() && takeSlot()) {
            executor.execute(this::loop);
        }
        onFree.run();
    }

    /** Takes out what was claimed but not begun. */
    List<RunningJob> drain() {
        List<RunningJob> drained = new ArrayList<>();
        for (RunningJob job = next(); job != null; job = next()) {
            drained.add(job);
        }
        return drained;
    }

    private void loop() {
        while (true) {
            for (RunningJob job = next(); job != null; job = next()) {
                if (!runner.test(job)) {
                    return;
                }
                handled.increment();
                if (buffered.get() <= prefetch / 2) {
                    onFree.run();
                }
            }
            active.decrementAndGet();
            // a job that came between the last look and the line above found no free slot
            if (buffer.isEmpty() || !takeSlot()) {
                onFree.run();
                return;
            }
        }
    }

    private boolean takeSlot() {
        int running = active.get();
        while (running < capacity) {
            if (active.compareAndSet(running, running + 1)) {
                return true;
            }
            running = active.get();
        }
        return false;
    }

    private @Nullable RunningJob next() {
        RunningJob job = buffer.poll();
        if (job != null) {
            buffered.decrementAndGet();
        }
        return job;
    }
}
