package dev.jobqueue.operate;

import java.time.Duration;

/**
 * A type that waits for a handler: no live node of its queue has one.
 *
 * @param queue the name of the queue
 * @param type the type
 * @param jobs how many of the first jobs of the queue are of it
 * @param oldest how long the oldest of them is due
 */
public record UnhandledType(String queue, String type, long jobs, Duration oldest) {}
