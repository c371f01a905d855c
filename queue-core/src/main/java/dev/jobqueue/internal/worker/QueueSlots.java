package dev.jobqueue.internal.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one queue on this node: at most so many handlers at once, and a buffer of claimed jobs that the next free
 * slot takes. A slot is a loop on a thread, which goes on until the buffer is empty.
 *
 * <p>While the handlers are {@linkplain Pace#isQuick() quick} and jobs are many, one slot works alone, for more threads
 * would fight with the claimer and the settler for the processors and get less done. The first job that takes long gives
 * the others to all slots: when it ends, or when the guard sees that it does not.
 */
final class QueueSlots {

    private static final int MAX_PREFETCH = 1_000;

    /** Claims of several nodes wait for each other, and half of what is ahead has to last meanwhile. */
    private static final int MAX_QUICK_PREFETCH = 2_000;

    private final String queue;
    private final int capacity;
    private final Executor executor;
    private final Predicate<RunningJob> runner;
    private final Runnable onFree;
    private final Consumer<Runnable> guard;
    private final Queue<RunningJob> buffer = new ConcurrentLinkedQueue<>();
    private final AtomicInteger buffered = new AtomicInteger();
    private final LongAdder handled = new LongAdder();
    private final Pace pace = new Pace();

    private volatile int prefetch;

    // The lock of this object is for those who write these: slots that start or leave, never one that goes on.
    private volatile int active;
    private volatile @Nullable Slot alone;
    private boolean guarded;
    private @Nullable RunningJob lastSeen;

    /**
     * @param runner handles a job; {@code false} if the slot was {@linkplain #abandon() abandoned} meanwhile
     * @param onFree called when the buffer runs low
     * @param guard runs what it is given some milliseconds later, whatever the slots and the claimer are stuck in
     */
    QueueSlots(
            String queue,
            int capacity,
            Executor executor,
            Predicate<RunningJob> runner,
            Runnable onFree,
            Consumer<Runnable> guard) {
        this.queue = queue;
        this.capacity = capacity;
        this.executor = executor;
        this.runner = runner;
        this.onFree = onFree;
        this.guard = guard;
    }

    String queue() {
        return queue;
    }

    int capacity() {
        return capacity;
    }

    int active() {
        return active;
    }

    /**
     * How many jobs to claim now: one for each free slot, and some ahead if jobs were handled faster than claims come
     * back. Slow jobs are never hoarded, quick ones never waited for. For one thread only.
     */
    int wanted() {
        if (hasEnough()) {
            return 0;
        }
        prefetch = (int) Math.min(isQuick() ? MAX_QUICK_PREFETCH : MAX_PREFETCH, 2 * handled.sumThenReset());
        return room();
    }

    /** As much again for a claim beside the first one, while jobs are quick. */
    int wantedBeside() {
        return isQuick() && !hasEnough() ? room() : 0;
    }

    private boolean hasEnough() {
        int waiting = buffered.get();
        return active + waiting >= capacity && waiting > prefetch / 2;
    }

    private int room() {
        return Math.max(0, capacity + prefetch - active - buffered.get());
    }

    /**
     * Takes what one claim brought. All of it is in the buffer before the first slot starts: slots that are quicker than
     * the claimer would otherwise run dry and start anew for every single job.
     */
    void accept(List<RunningJob> jobs) {
        buffered.addAndGet(jobs.size());
        buffer.addAll(jobs);
        start(slotsFor(jobs.size()));
    }

    /** The slot of a job that timed out: its thread may be stuck for ever, so another one takes over. */
    void abandon() {
        pace.runsLong();
        synchronized (this) {
            active--;
        }
        start(allSlots());
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

    /** Whether one slot empties a backlog alone. A single slot takes its jobs in order, and nobody makes haste for it. */
    boolean isQuick() {
        return capacity > 1 && pace.isQuick();
    }

    /** Few jobs are not held back, be they ever so quick: no load, no fight, and none waits for another. */
    private synchronized List<Slot> slotsFor(int newJobs) {
        if (!isQuick() || buffered.get() <= capacity - active) {
            return alone == null ? take(newJobs) : allSlots();
        }
        List<Slot> taken = alone == null ? take(1) : List.of();
        if (!taken.isEmpty()) {
            alone = taken.get(0);
        }
        watch();
        return taken;
    }

    /** As many slots as there are jobs for: none is held back any more. */
    private synchronized List<Slot> allSlots() {
        alone = null;
        return take(buffered.get());
    }

    private synchronized List<Slot> take(int most) {
        List<Slot> taken = new ArrayList<>();
        for (int i = Math.min(most, capacity - active); i > 0; i--) {
            taken.add(new Slot());
        }
        active += taken.size();
        return taken;
    }

    /** Without the lock: it may have to start threads. */
    private void start(List<Slot> slots) {
        slots.forEach(executor::execute);
    }

    /** Whether a slot takes another job: if not, it is free now. */
    private boolean goesOn(Slot slot) {
        boolean quick = isQuick();
        if (alone == (quick ? slot : null)) {
            return true;
        }
        if (quick) {
            return isTheOne(slot);
        }
        start(allSlots());
        return true;
    }

    private synchronized boolean isTheOne(Slot slot) {
        if (alone == null) {
            alone = slot;
        }
        if (alone != slot) {
            active--;
        }
        watch();
        return alone == slot;
    }

    /** Whether a slot that found the buffer empty is free now: not if a job came since, which may have found no slot. */
    private synchronized boolean ends(Slot slot) {
        if (!buffer.isEmpty()) {
            return false;
        }
        if (alone == slot) {
            alone = null;
        }
        active--;
        return true;
    }

    /** For whoever holds back slots: no job waits for long because another one does not end. */
    private synchronized void watch() {
        Slot working = alone;
        if (!guarded && working != null && !buffer.isEmpty()) {
            guarded = true;
            lastSeen = working.job;
            guard.accept(() -> start(look()));
        }
    }

    private synchronized List<Slot> look() {
        guarded = false;
        Slot working = alone;
        if (working != null && working.job == lastSeen && !buffer.isEmpty()) {
            pace.runsLong();
            return allSlots();
        }
        watch();
        return List.of();
    }

    private @Nullable RunningJob next() {
        RunningJob job = buffer.poll();
        if (job != null) {
            buffered.decrementAndGet();
        }
        return job;
    }

    private final class Slot implements Runnable {

        private volatile @Nullable RunningJob job;

        @Override
        public void run() {
            do {
                for (RunningJob next = next(); next != null; next = next()) {
                    job = next;
                    if (alone == this && buffered.get() == 0) {
                        // who knows how long this one takes, and nobody else would say that slots are free
                        onFree.run();
                    }
                    if (!runner.test(next)) {
                        return;
                    }
                    handled.increment();
                    pace.ran(next.ran().toNanos());
                    if (buffered.get() <= prefetch / 2) {
                        onFree.run();
                    }
                    if (!goesOn(this)) {
                        return;
                    }
                }
            } while (!ends(this));
            onFree.run();
        }
    }
}
