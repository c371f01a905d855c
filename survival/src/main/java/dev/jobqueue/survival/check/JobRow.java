package dev.jobqueue.survival.check;

import java.util.UUID;

/**
 * A job as the queue knows it.
 *
 * @param generated whether its publisher could not write down its id beforehand
 * @param early whether it was claimed before it was due, by the database's clock
 */
record JobRow(UUID id, String type, String state, int attempt, boolean generated, boolean early) {

    boolean isCompleted() {
        return state.equals("COMPLETED");
    }

    boolean isDead() {
        return state.equals("DEAD");
    }

    @Override
    public String toString() {
        return "%s (%s, %s, attempt %d)".formatted(id, type, state, attempt);
    }
}
