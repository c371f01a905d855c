package dev.jobqueue.internal.slot;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.RunningJob;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one queue on this node: at most so many handlers at once, and a buffer of claimed jobs that the next
 * free slot takes. A slot is a loop on a thread, which goes on until the buffer is empty.
 *
 * <p>The buffer holds about {@link Pace#AHEAD_NANOS} of work. When jobs turn out to take longer, the jobs beyond that
 * are given back for others to claim ({@link BufferWatch}).
 *
 * <p>While the handlers are {@linkplain Pace#isQuick() quick} and jobs are many, one slot works alone: more threads
 * would compete with the claimer and the settler for the processors and get less done. As soon as one job takes long,
 * all slots take the others: when that job ends, or when a look sees that it does not.
 */
public final class QueueSlots {

    private final String queue;
    private final Executor executor;
    private final SlotHost host;
    private final JobBuffer buffer;
    private final Pace pace = new Pace();
    private final Prefetch prefetch = new Prefetch();
    private final SlotSet slots;
    private final BufferWatch watch;
    private final SlotErrors errors;

    /** Slots for jobs that are being published. */
    private final AtomicInteger promised = new AtomicInteger();

    /**
     * @param maxBytes how many bytes of payloads there may be before no more is claimed, and in a bundle
     */
    public QueueSlots(String queue, int capacity, long maxBytes, Executor executor, SlotHost host) {
        this.queue = queue;
        this.buffer = new JobBuffer(maxBytes);
        this.errors = new SlotErrors(queue);
        this.executor = executor;
        this.host = host;
        this.slots = new SlotSet(capacity, buffer, Slot::new);
        this.watch = new BufferWatch(buffer, slots, prefetch::handledSoFar, host);
    }

    public String queue() {
        return queue;
    }

    public int capacity() {
        return slots.capacity();
    }

    public int active() {
        return slots.active();
    }

    public long maxBytes() {
        return buffer.maxBytes();
    }

    /**
     * How many jobs to claim now: one for each free slot, and some ahead if jobs were handled faster than claims come
     * back. For one thread only.
     */
    public int wanted() {
        return buffer.isFull()
                ? 0
                : prefetch.wanted(capacity() - active(), buffer.size(), isQuick(), pace.ahead(capacity()));
    }

    /** Promises a free slot to a job that is being published; {@code false} if there is none. */
    public boolean promise() {
        if (active() + buffer.size() + promised.incrementAndGet() <= capacity()) {
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
        List<SlotSet.Slot> taken = slots.takeFor(jobs.size(), isQuick());
        if (buffer.size() > taken.size()) {
            watch.begin(this::look);
        }
        start(taken);
    }

    /** Frees the slot of a job that timed out: its thread may be stuck for ever, so another one takes over. */
    void abandon(RunningJob job) {
        pace.sawLongRun();
        SlotSet.Slot slot = slots.slotOf(job);
        if (slot != null) {
            replace(slot);
        }
    }

    private void replace(SlotSet.Slot slot) {
        if (slots.leave(slot)) {
            start(slots.takeAll());
            host.freed(queue);
        }
    }

    /** Takes out what was claimed but not begun. */
    List<RunningJob> drain() {
        return buffer.drain();
    }

    /** Whether one slot empties a backlog alone. The only slot of a queue is never taken for quick. */
    boolean isQuick() {
        return capacity() > 1 && pace.isQuick();
    }

    /** Starts slots without holding a lock, because threads may have to be started. */
    private void start(List<SlotSet.Slot> taken) {
        for (SlotSet.Slot slot : taken) {
            try {
                executor.execute(slot);
            } catch (RuntimeException | Error ex) {
                // the next look tries again
                slots.leave(slot);
                watch.begin(this::look);
                errors.log("Queue '{}' gets no thread for a job, will try until it does", ex);
            }
        }
    }

    /** Whether a slot takes another job: if not, it is free now. */
    private boolean staysAtWork(SlotSet.Slot slot) {
        boolean quick = isQuick();
        if (slots.alone() == (quick ? slot : null)) {
            return true;
        }
        if (quick) {
            boolean stays = slots.workAlone(slot);
            watch.begin(this::look);
            return stays;
        }
        start(slots.takeAll());
        return true;
    }

    private void look() {
        start(watch.takeSlots(this::look, pace::sawLongRun));
        List<RunningJob> surplus = watch.takeSurplus();
        if (!surplus.isEmpty()) {
            pace.raiseTo(BufferWatch.PERIOD_NANOS);
            prefetch.stop();
            surplus.forEach(host::giveBack);
        }
    }

    /** One slot: takes jobs from the buffer for as long as there are any. */
    private final class Slot implements SlotSet.Slot {

        private volatile @Nullable RunningJob job;

        @Override
        public @Nullable RunningJob job() {
            return job;
        }

        @Override
        public void run() {
            try {
                work();
            } catch (Throwable thrown) {
                // first of all: to log may need more memory than there is
                RunningJob last = job;
                if (last != null) {
                    host.giveBack(last);
                }
                errors.log("A slot of queue '{}' goes on after an error", thrown);
            } finally {
                // whatever was thrown, and whoever settles the job: the slot is free
                replace(this);
            }
        }

        private void work() {
            do {
                for (RunningJob next = buffer.pollFirst(); next != null; next = buffer.pollFirst()) {
                    job = next;
                    if (slots.alone() == this && buffer.size() == 0) {
                        // this job may take long, and nobody else would say that slots are free
                        host.freed(queue);
                    }
                    if (!(next instanceof BundledRun first ? handleBundle(first) : handle(next))) {
                        return;
                    }
                    if (prefetch.isLow(buffer.size())) {
                        host.freed(queue);
                    }
                    if (!staysAtWork(this)) {
                        return;
                    }
                }
            } while (!slots.leaveIfEmpty(this));
            host.freed(queue);
        }

        /** {@code false} if the slot was abandoned meanwhile. */
        private boolean handle(RunningJob next) {
            prefetch.takenAlone();
            if (!host.handle(next)) {
                return false;
            }
            prefetch.handled(1);
            pace.ran(next.ran().toNanos());
            return true;
        }

        private boolean handleBundle(BundledRun first) {
            List<BundledRun> bundle = buffer.pollLike(first);
            int jobs = bundle.size();
            prefetch.taken(jobs, first.most());
            long began = System.nanoTime();
            long bytes = buffer.hold(bundle);
            try {
                // the next bundle is claimed while this one is handled
                host.freed(queue);
                host.handle(bundle);
            } finally {
                buffer.free(bytes);
            }
            prefetch.handled(jobs);
            pace.ran((System.nanoTime() - began) / jobs, jobs);
            return slots.isWorking(this);
        }
    }
}
