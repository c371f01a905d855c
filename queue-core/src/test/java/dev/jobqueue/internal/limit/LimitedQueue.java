package dev.jobqueue.internal.limit;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A queue whose tests claim jobs of one worker and settle them by id. */
final class LimitedQueue {

    final QueueFixture queue = new QueueFixture();
    private final UUID worker = UUID.randomUUID();

    void limit(String arguments) {
        queue.call("set_limit(" + arguments + ")");
    }

    /** Jobs of the type belong to the limits: {@code "{crm,api}", "{account,NULL}"}. */
    void use(String type, String limits, String keys) {
        queue.call("use_limits('%s', NULL, '%s', '%s')".formatted(type, limits, keys));
    }

    UUID publish(String type, String payload, String... arguments) {
        String further = arguments.length == 0 ? "" : ", " + String.join(", ", arguments);
        return queue.one(UUID.class, "SELECT queue.publish('%s', '%s'%s)".formatted(type, payload, further));
    }

    List<UUID> publish(int jobs, String type, String payload) {
        List<UUID> ids = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            ids.add(publish(type, payload));
        }
        return ids;
    }

    List<UUID> claim(int most) {
        return claimed(most, null).stream().map(JobLease::id).toList();
    }

    List<JobLease> claimed(int most, @Nullable List<String> types) {
        return queue.claims.claim(worker, Map.of("default", most), types).stream()
                .map(ClaimedJob::lease)
                .toList();
    }

    JobLease claimOf(UUID id) {
        return new JobLease(id, queue.one(Long.class, "SELECT lease FROM queue.live_job WHERE id = ?", id));
    }

    void complete(UUID id) {
        queue.settlements.completeAll(List.of(new Completion(claimOf(id), null)));
    }

    void completeRunning() {
        queue.list(
                UUID.class,
                "SELECT queue.complete_many(array_agg(id), array_agg(lease)) FROM queue.live_job"
                        + " WHERE state = 'RUNNING'");
    }

    void fail(UUID id, boolean retry) {
        queue.settlements.failAll(List.of(new Failure(claimOf(id), "broken", retry)));
    }

    /** As if all gates that wait for a time had opened. */
    void letGatesOpen() {
        queue.execute("UPDATE queue.turn SET at = at - interval '1 day'");
        queue.execute("UPDATE queue.closing SET until = until - interval '1 day'");
        queue.execute("UPDATE queue.mark SET paced_to = paced_to - interval '1 day', timer = timer - interval '1 day'");
    }
}
