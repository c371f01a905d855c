package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.settle.JobLease;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes claimed jobs for tests of what happens to them in Java: without limits, and outside of flows. */
public final class ClaimedJobs {

    private ClaimedJobs() {}

    public static ClaimedJob job(String type) {
        return job(type, "default", "{}", null, null);
    }

    public static ClaimedJob job(
            String type, String queue, String payload, @Nullable String headers, @Nullable String steps) {
        return job(new JobLease(UUID.randomUUID(), 1), type, queue, payload, 1, 3, headers, steps);
    }

    static ClaimedJob job(UUID id, String type, String payload) {
        return job(new JobLease(id, 1), type, "default", payload, 1, 3, null, null);
    }

    /** A job in its second of three attempts. */
    public static ClaimedJob secondAttempt(UUID id, String type) {
        return job(new JobLease(id, 1), type, "default", "{}", 2, 3, null, null);
    }

    private static ClaimedJob job(
            JobLease lease,
            String type,
            String queue,
            String payload,
            int attempt,
            int maxAttempts,
            @Nullable String headers,
            @Nullable String steps) {
        Instant now = Instant.now();
        return new ClaimedJob(
                lease,
                queue,
                type,
                payload,
                attempt,
                maxAttempts,
                headers,
                steps,
                null,
                null,
                now,
                now,
                null,
                0,
                false,
                null,
                null);
    }
}
