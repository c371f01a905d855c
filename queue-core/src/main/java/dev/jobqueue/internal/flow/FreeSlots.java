package dev.jobqueue.internal.flow;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Slots in which steps start as soon as they are free, without being claimed.
 *
 * @param types that the worker handles
 * @param slots how many of them are promised, by queue
 * @param leases under which the worker takes the steps, one for each queue, in their order
 */
public record FreeSlots(UUID workerId, Collection<String> types, Map<String, Integer> slots, List<Long> leases) {}
