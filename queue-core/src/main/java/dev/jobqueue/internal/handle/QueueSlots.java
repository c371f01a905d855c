package dev.jobqueue.internal.handle;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The slots of one queue on this node: at most so many handlers at once, and a buffer of claimed jobs that the next
 * free slot takes. A slot is a loop on a thread, which goes on until the buffer is empty.
 *
 * <p>The buffer holds about {@link Pace#AHEAD_NANOS} of work. When jobs turn out to take longer, what is too much is
 * given back for others to claim.
 *
 * <p>While the handlers are {@linkplain Pace#isQuick() quick} and jobs are many, one slot works alone, for more threads
 * would fight with the claimer and the settler for the processors and get less done. The first job that takes long
 * gives the others to all slots: when it ends, or when a look sees that it does not.
 */
public final class QueueSlots {

    private static final Logger log = LoggerFactory.getLogger(QueueSlots.class);

    private static final int MAX_PREFETCH = 1_000;

    /** Claims of several nodes wait for each other, and half of what is ahead has to last meanwhile. */
    private static final int MAX_QUICK_PREFETCH = 2_000;

    /** How long the slots have for what is in the buffer, before the rest is given back. */
    private static final long PERIOD_NANOS = 2 * Pace.AHEAD_NANOS;

    private static final long LOG_PAUSE_NANOS = 10_000_000_000L;

    private final String queue;
    private final int capacity;
    private final long maxBytes;
    private final Executor executor;
    private final Host host;
    private final JobBuffer buffer = new JobBuffer();
    private final LongAdder handled = new LongAdder();
    private final Pace pace = new Pace();

    /** Slots that jobs will take which are being published. */
    private final AtomicInteger promised = new AtomicInteger();

    private volatile int prefetch;
    private volatile long handledAtClaim;

    // The lock of this object is for those who write these: slots that start or leave, never one that goes on.
    private final Set<Slot> working = new HashSet<>();
    private volatile int active;
    private volatile @Nullable Slot alone;
    private boolean watched;
    private @Nullable RunningJob lastSeen;
    private long periodBegan;
    private long handledBefore;
    private long loggedAt = System.nanoTime() - LOG_PAUSE_NANOS;

    /**
     * @param maxBytes how many bytes of payloads the buffer may hold before no more is claimed
     */
    public QueueSlots(String queue, int capacity, long maxBytes, Executor executor, Host host) {
        this.queue = queue;
        this.capacity = capacity;
        this.maxBytes = maxBytes;
        this.executor = executor;
        this.host = host;
    }

    /** What the slots of a queue need of their node. */
    public interface Host {

        /** Handles a job; {@code false} if the slot was {@linkplain #abandon abandoned} meanwhile. */
        boolean handle(RunningJob job);

        /** The buffer of the queue runs low. */
        void freed(String queue);

        /** Gives back a job that was claimed but not begun. */
        void giveBack(RunningJob job);

        /** Runs the look some milliseconds later, whatever the slots and the claimer are stuck in. */
        void later(Runnable look);
    }

    public String queue() {
        return queue;
    }

    public int capacity() {
        return capacity;
    }

    public int active() {
        return active;
    }

    public long maxBytes() {
        return maxBytes;
    }

    /**
     * How many jobs to claim now: one for each free slot, and some ahead if jobs were handled faster than claims come
     * back. Slow jobs are never hoarded, quick ones never waited for. For one thread only.
     */
    public int wanted() {
        if (hasEnough()) {
            return 0;
        }
        long now = handled.sum();
        long most = Math.min(isQuick() ? MAX_QUICK_PREFETCH : MAX_PREFETCH, pace.ahead(capacity));
        prefetch = (int) Math.min(most, 2 * (now - handledAtClaim));
        handledAtClaim = now;
        return room();
    }

    private boolean hasEnough() {
        int waiting = buffer.size();
        return buffer.bytes() >= maxBytes || (active + waiting >= capacity && waiting > prefetch / 2);
    }

    private int room() {
        return Math.max(0, capacity + prefetch - active - buffer.size());
    }

    /** Promises a free slot to a job that is being published; {@code false} if there is none. */
    public boolean promise() {
        if (active + buffer.size() + promised.incrementAndGet() <= capacity) {
            return true;
        }
        promised.decrementAndGet();
        return false;
    }

    /** So many promised slots have their jobs, or will have none. */
    public void endPromise(int jobs) {
        promised.addAndGet(-jobs);
    }

    /**
     * Takes what one claim brought. All of it is in the buffer before the first slot starts: slots that are quicker
     * than the claimer would otherwise run dry and start anew for every single job.
     */
    void accept(List<RunningJob> jobs) {
        buffer.addAll(jobs);
        start(slotsFor(jobs.size()));
    }

    /** The slot of a job that timed out: its thread may be stuck for ever, so another one takes over. */
    void abandon(RunningJob job) {
        pace.runsLong();
        replace(slotOf(job));
    }

    private synchronized @Nullable Slot slotOf(RunningJob job) {
        return working.stream().filter(slot -> slot.job == job).findFirst().orElse(null);
    }

    private void replace(@Nullable Slot slot) {
        if (slot != null && leave(slot)) {
            start(allSlots());
            host.freed(queue);
        }
    }

    /** Takes out what was claimed but not begun. */
    List<RunningJob> drain() {
        List<RunningJob> drained = new ArrayList<>();
        for (RunningJob job = buffer.pollFirst(); job != null; job = buffer.pollFirst()) {
            drained.add(job);
        }
        return drained;
    }

    /**
     * Whether one slot empties a backlog alone. A single slot takes its jobs in order, and nobody makes haste for it.
     */
    boolean isQuick() {
        return capacity > 1 && pace.isQuick();
    }

    /** All slots there is a job for; one alone where jobs are quick and more than there are free slots. */
    private synchronized List<Slot> slotsFor(int newJobs) {
        boolean forOne = isQuick() && buffer.size() > capacity - active;
        List<Slot> taken;
        if (!forOne) {
            taken = alone == null ? take(newJobs) : allSlots();
        } else if (alone == null) {
            taken = take(1);
            alone = taken.isEmpty() ? null : taken.get(0);
        } else {
            taken = List.of();
        }
        if (buffer.size() > taken.size()) {
            watch();
        }
        return taken;
    }

    /** As many slots as there are jobs for: none is held back any more. */
    private synchronized List<Slot> allSlots() {
        alone = null;
        return take(buffer.size());
    }

    private synchronized List<Slot> take(int most) {
        List<Slot> taken = new ArrayList<>();
        for (int i = Math.min(most, capacity - active); i > 0; i--) {
            taken.add(new Slot());
        }
        working.addAll(taken);
        active = working.size();
        return taken;
    }

    /** Frees a slot; {@code false} if it was free already. */
    private synchronized boolean leave(Slot slot) {
        boolean left = working.remove(slot);
        active = working.size();
        if (alone == slot) {
            alone = null;
        }
        return left;
    }

    /** Without the lock: it may have to start threads. Where none can be started, the next look tries again. */
    private void start(List<Slot> slots) {
        for (Slot slot : slots) {
            try {
                executor.execute(slot);
            } catch (RuntimeException | Error ex) {
                couldNotStart(slot, ex);
            }
        }
    }

    private synchronized void couldNotStart(Slot slot, Throwable cause) {
        leave(slot);
        watch();
        report("Queue '{}' gets no thread for a job, will try until it does", cause);
    }

    private synchronized void report(String message, Throwable cause) {
        if (System.nanoTime() - loggedAt >= LOG_PAUSE_NANOS) {
            loggedAt = System.nanoTime();
            log.error(message, queue, cause);
        }
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
            leave(slot);
        }
        watch();
        return alone == slot;
    }

    /**
     * Whether a slot that found the buffer empty is free now: not if a job came since, which may have found no slot.
     */
    private synchronized boolean ends(Slot slot) {
        if (!buffer.isEmpty()) {
            return false;
        }
        leave(slot);
        return true;
    }

    /** From now on somebody looks after the jobs that no slot has taken yet, until the buffer is empty. */
    private synchronized void watch() {
        if (!watched && !buffer.isEmpty()) {
            periodBegan = System.nanoTime();
            handledBefore = handled.sum();
            lookLater();
        }
    }

    private void lookLater() {
        watched = true;
        Slot only = alone;
        lastSeen = only == null ? null : only.job;
        host.later(this::look);
    }

    /** No job waits for long because another one does not end: not for the only slot, and not on this node. */
    private void look() {
        start(heldBack());
        surplus().forEach(host::giveBack);
    }

    private synchronized List<Slot> heldBack() {
        watched = false;
        if (buffer.isEmpty()) {
            return List.of();
        }
        Slot only = alone;
        if (only != null && only.job == lastSeen) {
            pace.runsLong();
            alone = null;
        }
        List<Slot> slots = alone == null ? take(buffer.size()) : List.of();
        lookLater();
        return slots;
    }

    /** The last jobs of the buffer, beyond as many as were handled in the last period. */
    private synchronized List<RunningJob> surplus() {
        List<RunningJob> surplus = new ArrayList<>();
        if (System.nanoTime() - periodBegan < PERIOD_NANOS) {
            return surplus;
        }
        long now = handled.sum();
        long kept = now - handledBefore;
        periodBegan = System.nanoTime();
        handledBefore = now;
        for (long i = buffer.size(); i > kept; i--) {
            RunningJob last = buffer.pollLast();
            if (last != null) {
                surplus.add(last);
            }
        }
        if (!surplus.isEmpty()) {
            pace.takesLonger(PERIOD_NANOS);
            prefetch = 0;
            handledAtClaim = now;
        }
        return surplus;
    }

    private final class Slot implements Runnable {

        private volatile @Nullable RunningJob job;

        @Override
        public void run() {
            try {
                work();
            } catch (Throwable thrown) {
                report("A slot of queue '{}' goes on after an error", thrown);
            } finally {
                // whatever was thrown, and whoever settles the job: the slot is free
                replace(this);
            }
        }

        private void work() {
            do {
                for (RunningJob next = buffer.pollFirst(); next != null; next = buffer.pollFirst()) {
                    job = next;
                    if (alone == this && buffer.size() == 0) {
                        // who knows how long this one takes, and nobody else would say that slots are free
                        host.freed(queue);
                    }
                    if (!host.handle(next)) {
                        return;
                    }
                    handled.increment();
                    pace.ran(next.ran().toNanos());
                    if (buffer.size() <= prefetch / 2) {
                        host.freed(queue);
                    }
                    if (!goesOn(this)) {
                        return;
                    }
                }
            } while (!ends(this));
            host.freed(queue);
        }
    }
}
