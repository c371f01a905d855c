package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.SettleCalls;
import java.util.List;
import java.util.UUID;

/** Publishes jobs of type mail with unique keys, as SQL does, and tells what the database answered. */
final class KeyedJobs {

    final QueueFixture queue = new QueueFixture();

    /** Publishes a job of the key k; further keys of its JSON in single quotes. */
    Answer publish(String payload, String further) {
        return publishAll("{'type': 'mail', 'unique_key': 'k', 'payload': %s%s}"
                        .formatted(payload, further.isEmpty() ? "" : ", " + further))
                .get(0);
    }

    List<Answer> publishAll(String... jobs) {
        String json = "[" + String.join(", ", jobs).replace('\'', '"') + "]";
        return queue
                .list(
                        String.class,
                        "SELECT concat_ws(' ', id, outcome) FROM queue.publish_with_outcome(?::jsonb)",
                        json)
                .stream()
                .map(answer -> answer.split(" "))
                .map(answer -> new Answer(UUID.fromString(answer[0]), answer[1]))
                .toList();
    }

    String payload(UUID id) {
        return String.valueOf(queue.job(id).get("payload"));
    }

    List<UUID> live() {
        return queue.list(UUID.class, "SELECT id FROM queue.live_job ORDER BY id");
    }

    void complete(ClaimedJob job) {
        queue.settlements.complete(job.lease(), null);
    }

    void fail(ClaimedJob job) {
        queue.settlements.failAll(List.of(new SettleCalls.Failure(job.lease(), "oops", true)));
    }

    record Answer(UUID id, String outcome) {}
}
