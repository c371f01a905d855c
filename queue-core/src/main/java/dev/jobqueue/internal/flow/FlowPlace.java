package dev.jobqueue.internal.flow;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where a job belongs.
 *
 * @param flow its batch or flow
 * @param step the name of its step; {@code null} if it is a member of a batch
 */
public record FlowPlace(UUID flow, @Nullable String step) {}
