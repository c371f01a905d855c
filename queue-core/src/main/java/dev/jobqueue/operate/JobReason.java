package dev.jobqueue.operate;

import dev.jobqueue.JobState;

/**
 * Why a job is not running, or not any more.
 *
 * @param queue the queue the job is in
 * @param state the state of the job
 * @param code a word for programs, such as {@code PAUSED}, {@code NO_HANDLER} or {@code SLOTS_BUSY}; later versions may
 *     have others
 * @param message a sentence for people
 */
public record JobReason(String queue, JobState state, String code, String message) {}
