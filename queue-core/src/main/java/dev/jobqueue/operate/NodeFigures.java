package dev.jobqueue.operate;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A node that works, or a worker in another language, as it registered, and since when it has been silent.
 *
 * @param id the id of its worker, new with each start
 * @param host the name of its host
 * @param pid the id of its process
 * @param version the version of its application
 * @param queues the queues it works; {@code null} if it did not say
 * @param types the types it handles; {@code null} if it did not say
 * @param startedAt when it registered
 * @param sinceBeat how long ago its last beat was
 * @param isLive whether that is not longer than its jobs may be left alone
 * @param running how many jobs it has
 */
public record NodeFigures(
        UUID id,
        @Nullable String host,
        @Nullable Integer pid,
        @Nullable String version,
        @Nullable List<String> queues,
        @Nullable List<String> types,
        Instant startedAt,
        Duration sinceBeat,
        boolean isLive,
        long running) {}
