package dev.jobqueue.internal.claim;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Leases under which a worker takes jobs as they are published, without claiming them.
 *
 * @param numbers one for each job, in their order; {@code null} for a job that is to be claimed
 * @param promised how many slots of the worker wait for them, by queue
 */
public record DirectLeases(UUID workerId, List<@Nullable Long> numbers, Map<String, Integer> promised) {

    /** The numbers of the leases, each once. */
    public List<Long> distinct() {
        return numbers.stream().filter(Objects::nonNull).distinct().toList();
    }
}
