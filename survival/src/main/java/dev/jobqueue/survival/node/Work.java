package dev.jobqueue.survival.node;

/**
 * The payload of every job.
 *
 * @param millis how long the handler takes
 * @param generated whether the publisher chose the id, so that nobody could write it down before the commit
 */
public record Work(int millis, boolean generated) {}
