package dev.jobqueue.internal.slot;

import dev.jobqueue.internal.handle.RunningJob;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Looks again and again after the jobs that wait for a slot, until none waits. No job waits for long because another
 * one does not end: not for the slot that works alone, and not on this node while other nodes have free slots.
 */
final class BufferWatch {

    /** How long the slots have for what is in the buffer, before the rest is given back. */
    static final long PERIOD_NANOS = 2 * Pace.AHEAD_NANOS;

    private final JobBuffer buffer;
    private final SlotSet slots;
    private final LongSupplier handled;
    private final SlotHost host;
    private boolean watching;
    private @Nullable RunningJob lastSeen;
    private long periodBegan;
    private long handledBefore;

    /**
     * @param handled how many jobs the slots have handled so far
     */
    BufferWatch(JobBuffer buffer, SlotSet slots, LongSupplier handled, SlotHost host) {
        this.buffer = buffer;
        this.slots = slots;
        this.handled = handled;
        this.host = host;
    }

    /** Looks after the jobs that no slot has taken yet, from now on. */
    synchronized void begin(Runnable look) {
        if (!watching && !buffer.isEmpty()) {
            beginPeriod();
            lookLater(look);
        }
    }

    private void beginPeriod() {
        periodBegan = host.nanoTime();
        handledBefore = handled.getAsLong();
    }

    private void lookLater(Runnable look) {
        watching = true;
        SlotSet.Slot only = slots.alone();
        lastSeen = only == null ? null : only.job();
        host.later(look);
    }

    /**
     * Takes slots for jobs that would wait for the slot that works alone, and looks again later if jobs wait.
     *
     * @param onStuck called if the slot that works alone has the same job as at the last look
     */
    synchronized List<SlotSet.Slot> takeSlots(Runnable look, Runnable onStuck) {
        watching = false;
        if (buffer.isEmpty()) {
            return List.of();
        }
        boolean worksAlone = slots.alone() != null;
        List<SlotSet.Slot> taken = slots.takeUnlessGoingOn(lastSeen);
        if (worksAlone && taken != null) {
            onStuck.run();
        }
        lookLater(look);
        return taken == null ? List.of() : taken;
    }

    /** Takes out the last jobs of the buffer, beyond as many as were handled in the last period. */
    synchronized List<RunningJob> takeSurplus() {
        if (host.nanoTime() - periodBegan < PERIOD_NANOS) {
            return List.of();
        }
        long kept = handled.getAsLong() - handledBefore;
        beginPeriod();
        int size = buffer.size();
        // large enough for all: a job that found no place would be lost
        List<RunningJob> surplus = new ArrayList<>(size);
        for (long i = size; i > kept; i--) {
            RunningJob last = buffer.pollLast();
            if (last != null) {
                surplus.add(last);
            }
        }
        return surplus;
    }
}
