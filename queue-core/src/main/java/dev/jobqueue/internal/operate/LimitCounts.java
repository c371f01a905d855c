package dev.jobqueue.internal.operate;

/**
 * How a limit is used, over all keys.
 *
 * @param held how many jobs it has let start and counts still
 * @param waiting how many jobs wait that have it
 * @param blocked how many FIFO lanes stand behind a dead letter
 */
public record LimitCounts(String name, long held, long waiting, long blocked) {}
