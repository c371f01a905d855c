package dev.jobqueue.internal.store;

import java.util.UUID;

/**
 * The right to settle one run of a job.
 *
 * @param id the job
 * @param lease the number drawn when it was claimed; whoever presents another one changes nothing
 */
public record Claim(UUID id, long lease) {}
