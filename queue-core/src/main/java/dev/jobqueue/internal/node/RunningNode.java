package dev.jobqueue.internal.node;

import org.jspecify.annotations.Nullable;

/** The worker of this node, for those who watch it. */
@FunctionalInterface
public interface RunningNode {

    /** The worker; {@code null} while it does not run. */
    @Nullable
    Node worker();
}
