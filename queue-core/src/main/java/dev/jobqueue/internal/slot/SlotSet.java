package dev.jobqueue.internal.slot;

import dev.jobqueue.internal.handle.RunningJob;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which slots of a queue work, and which of them works alone while jobs are quick. Slots lock this object only when
 * they start or leave, never to go on with the next job.
 */
final class SlotSet {

    /** A slot, as far as this set looks into it. */
    interface Slot extends Runnable {

        /** The job that the slot took last; {@code null} if it has taken none. */
        @Nullable
        RunningJob job();
    }

    private final int capacity;
    private final JobBuffer buffer;
    private final Supplier<Slot> factory;
    private final Set<Slot> working = new HashSet<>();
    private volatile int active;
    private volatile @Nullable Slot alone;

    /**
     * @param factory makes a slot, which is started by the caller who took it from here
     */
    SlotSet(int capacity, JobBuffer buffer, Supplier<Slot> factory) {
        this.capacity = capacity;
        this.buffer = buffer;
        this.factory = factory;
    }

    int active() {
        return active;
    }

    int capacity() {
        return capacity;
    }

    /** The slot that works alone; {@code null} while all may work. */
    @Nullable
    Slot alone() {
        return alone;
    }

    synchronized @Nullable Slot slotOf(RunningJob job) {
        return working.stream().filter(slot -> slot.job() == job).findFirst().orElse(null);
    }

    /**
     * Takes slots for new jobs: one for each job, or a single slot that works alone where jobs are quick and more than
     * there are free slots.
     */
    synchronized List<Slot> takeFor(int newJobs, boolean quick) {
        boolean forOne = quick && buffer.size() > capacity - active;
        if (!forOne) {
            return alone == null ? take(newJobs) : takeAll();
        }
        if (alone != null) {
            return List.of();
        }
        List<Slot> taken = take(1);
        alone = taken.isEmpty() ? null : taken.get(0);
        return taken;
    }

    /** Takes as many slots as there are jobs for: no slot works alone any more. */
    synchronized List<Slot> takeAll() {
        alone = null;
        return take(buffer.size());
    }

    /**
     * Takes slots for the jobs that wait, unless a slot works alone and goes on.
     *
     * @param lastSeen the job that the slot had some time ago: if it still has it, the slot does not go on
     * @return {@code null} if the slot that works alone goes on
     */
    synchronized @Nullable List<Slot> takeUnlessGoingOn(@Nullable RunningJob lastSeen) {
        Slot only = alone;
        return only != null && only.job() != lastSeen ? null : takeAll();
    }

    private List<Slot> take(int most) {
        List<Slot> taken = new ArrayList<>();
        for (int i = Math.min(most, capacity - active); i > 0; i--) {
            taken.add(factory.get());
        }
        working.addAll(taken);
        active = working.size();
        return taken;
    }

    /** Whether the slot is still taken. */
    synchronized boolean isWorking(Slot slot) {
        return working.contains(slot);
    }

    /** Frees a slot; {@code false} if it was free already. */
    synchronized boolean leave(Slot slot) {
        boolean left = working.remove(slot);
        active = working.size();
        if (alone == slot) {
            alone = null;
        }
        return left;
    }

    /** Lets one slot work alone, this one if there is none yet; every other slot leaves. */
    synchronized boolean workAlone(Slot slot) {
        if (alone == null) {
            alone = slot;
        }
        if (alone != slot) {
            leave(slot);
        }
        return alone == slot;
    }

    /**
     * Frees a slot that found the buffer empty; {@code false} if a job came since, which may have found no free slot.
     */
    synchronized boolean leaveIfEmpty(Slot slot) {
        if (!buffer.isEmpty()) {
            return false;
        }
        leave(slot);
        return true;
    }
}
