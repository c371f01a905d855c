package dev.jobqueue.dashboard;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.JobAudit;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Publishes jobs that somebody wrote by hand, where the application allows that. */
final class Publishing implements Endpoints {

    private final @Nullable JobPublisher publisher;
    private final JobAudit audit;
    private final Overview overview;

    /**
     * @param publisher {@code null} if jobs cannot be published here
     */
    Publishing(@Nullable JobPublisher publisher, JobAudit audit, Overview overview) {
        this.publisher = publisher;
        this.audit = audit;
        this.overview = overview;
    }

    @Override
    public void addTo(Routes routes) {
        routes.post("publish", this::publish);
    }

    Map<String, Object> publish(Call call) {
        JobPublisher jobs = publisher;
        if (jobs == null) {
            throw Refusal.forbidden("Jobs cannot be published here: queue.dashboard.publish is not true.");
        }
        Job job = job(call.body());
        String actor = call.caller().name();
        UUID id = audit.together(() -> {
            UUID published = jobs.publish(job);
            audit.record(
                    AuditAction.on(actor, "job.publish", published.toString()).jobs(1));
            return published;
        });
        overview.forget();
        return Map.of("id", id);
    }

    private static Job job(JsonNode body) {
        String type = body.path("type").asString("");
        if (type.isBlank()) {
            throw Refusal.invalid("type is missing: it says which handler gets the job");
        }
        JsonNode payload = body.path("payload");
        Job job = Job.of(type, payload.isMissingNode() ? null : Call.MAPPER.treeToValue(payload, Object.class));
        String queue = body.path("queue").asString("");
        String key = body.path("uniqueKey").asString("");
        job = queue.isBlank() ? job : job.queue(queue);
        job = key.isBlank() ? job : job.uniqueKey(key);
        job = given(body, "priority") ? job.priority(Actions.priority(body)) : job;
        return given(body, "delayMs")
                ? job.delay(Duration.ofMillis(body.path("delayMs").asLong(-1)))
                : job;
    }

    private static boolean given(JsonNode body, String name) {
        return !body.path(name).isMissingNode() && !body.path(name).isNull();
    }
}
