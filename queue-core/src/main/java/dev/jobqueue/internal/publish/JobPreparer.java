package dev.jobqueue.internal.publish;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.OnConflict;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.Json.PayloadWriter;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.handle.HandlerRegistry;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Makes of jobs, as callers give them, jobs as they are inserted. */
final class JobPreparer {

    private final HandlerRegistry handlers;
    private final Json json;

    JobPreparer(HandlerRegistry handlers, Json json) {
        this.handlers = handlers;
        this.json = json;
    }

    List<NewJob> prepare(List<Job> jobs) {
        return prepare(jobs, null);
    }

    /**
     * @param batch the batch that they are members of, if they are
     */
    List<NewJob> prepare(List<Job> jobs, @Nullable UUID batch) {
        try (PayloadWriter payloads = json.payloadWriter(jobs.size())) {
            return jobs.stream()
                    .map(job -> prepare(job, payloads.write(job.payload()), batch))
                    .toList();
        }
    }

    private NewJob prepare(Job job, String written, @Nullable UUID batch) {
        Object payload = job.payload();
        String type = job.type() != null || payload == null ? String.valueOf(job.type()) : handlers.typeOf(payload);
        return new NewJob(
                job.id() != null ? job.id() : Uuids.next(),
                job.id() != null,
                type,
                written,
                job.queue() != null ? job.queue() : handlers.queueOf(type, payload),
                job.priority(),
                job.runAt(),
                job.delay(),
                job.maxAttempts(),
                job.timeout(),
                job.uniqueKey(),
                job.headers().isEmpty() ? null : json.write(job.headers()),
                UniqueRules.of(job),
                job.limits().isEmpty() ? null : json.write(job.limits()),
                batch);
    }

    /** What belongs to a batch or flow must be a job of its own, not one that may be there already. */
    static void refuseUnique(String what, Job job) {
        if (job.id() != null
                || job.uniqueKey() != null
                || job.uniqueFor() != null
                || job.maxDelay() != null
                || job.onConflict() != OnConflict.KEEP) {
            throw new InvalidJobException(
                    "%s has an id, a unique key or a debounce: a job of a batch or flow must have none"
                            .formatted(what));
        }
    }
}
