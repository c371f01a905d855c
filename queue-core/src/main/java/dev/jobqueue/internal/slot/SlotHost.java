package dev.jobqueue.internal.slot;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.RunningJob;
import java.util.List;

/** What the slots of a queue need of their node. */
public interface SlotHost {

    /** Handles a job; {@code false} if the slot was {@linkplain QueueSlots#abandon abandoned} meanwhile. */
    boolean handle(RunningJob job);

    /** Handles jobs of one type together. */
    void handle(List<BundledRun> jobs);

    /** The buffer of the queue runs low. */
    void freed(String queue);

    /** Gives back a job that was claimed but not begun. */
    void giveBack(RunningJob job);

    /** Runs the look some milliseconds later, whatever the slots and the claimer are stuck in. */
    void later(Runnable look);

    /** The clock of the looks, in nanoseconds. */
    default long nanoTime() {
        return System.nanoTime();
    }
}
