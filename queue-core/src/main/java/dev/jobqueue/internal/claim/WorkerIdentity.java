package dev.jobqueue.internal.claim;

import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The id under which this node works, and what its claims tell the heartbeat about it. A node that was declared dead
 * goes on under a new id.
 */
public final class WorkerIdentity {

    /** For how long jobs of a claim that was not answered may still turn up as running. */
    private static final Duration UNSURE = Duration.ofSeconds(30);

    private volatile UUID id = UUID.randomUUID();
    private volatile @Nullable Long unsureUntil;
    private volatile Runnable onDeclaredDead = () -> {};

    public UUID id() {
        return id;
    }

    /** Goes on under another id, and returns the one before. */
    public UUID renew() {
        UUID before = id;
        id = UUID.randomUUID();
        return before;
    }

    /** Who finds out whether this worker is dead, and renews the id then. */
    public void onDeclaredDead(Runnable action) {
        onDeclaredDead = action;
    }

    /** A call was refused because this worker is dead. */
    void declaredDead() {
        onDeclaredDead.run();
    }

    /** A claim failed, maybe after the server had granted it: then its jobs run nowhere. */
    public void claimUnanswered() {
        unsureUntil = System.nanoTime() + UNSURE.toNanos();
    }

    /** Whether jobs may run under this id that the node does not know of. */
    public boolean isUnsure() {
        Long until = unsureUntil;
        return until != null && until - System.nanoTime() > 0;
    }
}
