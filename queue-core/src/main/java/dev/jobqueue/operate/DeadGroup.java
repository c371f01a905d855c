package dev.jobqueue.operate;

import java.time.Instant;
import java.util.UUID;

/**
 * Dead jobs of one queue and type whose last errors differ in numbers, ids and quoted texts only.
 *
 * @param fingerprint what they have in common, for {@link JobFilter#fingerprint(String)}
 * @param queue the queue they are in
 * @param type their type
 * @param error the first line of the error of the one that died last
 * @param jobs how many they are; counting stops at 1,000
 * @param firstAt when the first of them died
 * @param lastAt when the last of them died
 * @param example the one that died last
 */
public record DeadGroup(
        String fingerprint,
        String queue,
        String type,
        String error,
        JobCount jobs,
        Instant firstAt,
        Instant lastAt,
        UUID example) {}
