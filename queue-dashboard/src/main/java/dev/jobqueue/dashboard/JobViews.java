package dev.jobqueue.dashboard;

import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobReason;
import dev.jobqueue.operate.JobSummary;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs in lists, which have no payloads, and one by one. */
final class JobViews implements Endpoints {

    private static final int PAGE = 50;
    private static final int LONGEST_PAGE = 200;

    private final JobOperations operations;
    private final Masks masks;

    JobViews(JobOperations operations, Masks masks) {
        this.operations = operations;
        this.masks = masks;
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("jobs", this::list);
        routes.get("jobs/*", this::one);
    }

    Map<String, @Nullable Object> list(Call call) {
        Query query = Query.parse(call.parameter("q"));
        UUID id = query.id();
        if (id != null) {
            List<Map<String, @Nullable Object>> found =
                    operations.find(id).stream().map(JobViews::summary).toList();
            return page(found, null, new JobCount(found.size(), false), query);
        }
        String after = call.parameter("after");
        List<Map<String, @Nullable Object>> jobs = new ArrayList<>();
        String next = fill(jobs, query, Place.of(query.states(), after), call.number("limit", PAGE, LONGEST_PAGE));
        return page(jobs, next, after == null ? count(query, jobs.size(), next) : null, query);
    }

    /** Adds the jobs of the states one after the other until there are enough; returns where the next page begins. */
    private @Nullable String fill(List<Map<String, @Nullable Object>> jobs, Query query, Place place, int limit) {
        List<JobState> states = query.states();
        for (JobState state : states.subList(states.indexOf(place.state()), states.size())) {
            if (jobs.size() == limit) {
                return state + ".";
            }
            JobCursor from = state == place.state() ? place.cursor() : JobCursor.START;
            JobPage page = operations.find(query.filter(state), from, limit - jobs.size());
            page.jobs().forEach(job -> jobs.add(summary(job)));
            JobCursor following = page.next();
            if (following != null) {
                return state + "." + following.text();
            }
        }
        return null;
    }

    /** Where a page begins: {@code DEAD.} and the cursor within that state. */
    private record Place(JobState state, JobCursor cursor) {

        static Place of(List<JobState> states, @Nullable String after) {
            if (after == null) {
                return new Place(states.get(0), JobCursor.START);
            }
            int dot = after.indexOf('.');
            return states.stream()
                    .filter(each -> dot > 0 && each.name().equals(after.substring(0, dot)))
                    .findFirst()
                    .map(state -> new Place(state, new JobCursor(after.substring(dot + 1))))
                    .orElseThrow(() -> Refusal.invalid(
                            "after is '%s': must be what 'next' of the page before said".formatted(after)));
        }
    }

    /** Not where finding it out would mean to look into many jobs. */
    private @Nullable JobCount count(Query query, int found, @Nullable String next) {
        if (next == null) {
            return new JobCount(found, false);
        }
        List<JobState> states = query.states();
        return states.size() == 1 && !query.values().containsKey("error")
                ? operations.count(query.filter(states.get(0)))
                : null;
    }

    private static Map<String, @Nullable Object> page(
            List<Map<String, @Nullable Object>> jobs, @Nullable String next, @Nullable JobCount count, Query query) {
        Map<String, @Nullable Object> page = new LinkedHashMap<>();
        page.put("jobs", jobs);
        page.put("next", next);
        page.put("count", count == null ? null : Map.of("jobs", count.jobs(), "isAtLeast", count.isAtLeast()));
        page.put("filter", query.values());
        return page;
    }

    Map<String, @Nullable Object> one(Call call) {
        UUID id = call.id();
        return find(id).orElseThrow(() -> Refusal.missing(
                "No job has the id '%s': it never existed, or is older than the history that is kept.".formatted(id)));
    }

    Optional<Map<String, @Nullable Object>> find(UUID id) {
        return operations.find(id).map(this::details);
    }

    private Map<String, @Nullable Object> details(JobDetails job) {
        Map<String, @Nullable Object> shown = summary(job);
        shown.put("payload", masks.json(job.payload()));
        shown.put("headers", masks.headers(job.headers()));
        shown.put("result", masks.json(job.result()));
        shown.put("errors", job.errors().stream().map(this::error).toList());
        shown.put("cancelRequested", job.cancelRequested());
        shown.put("timeoutMs", millis(job.timeout()));
        shown.put("waitedMs", millis(job.waited()));
        shown.put("ranMs", millis(job.ran()));
        shown.put("deadReason", job.deadReason());
        shown.put("steps", job.steps().stream().map(this::step).toList());
        shown.put("events", job.events().stream().map(this::event).toList());
        shown.put("why", why(job.id()));
        return shown;
    }

    /** A job may go between two looks. */
    List<Map<String, String>> why(UUID id) {
        List<JobReason> reasons;
        try {
            reasons = operations.why(id);
        } catch (JobNotFoundException ex) {
            reasons = List.of();
        }
        return reasons.stream()
                .map(each -> Map.of("code", each.code(), "message", each.message()))
                .toList();
    }

    private Map<String, Object> error(JobDetails.JobError error) {
        return Map.of("attempt", error.attempt(), "at", error.at(), "error", masks.cut(error.error()));
    }

    private Map<String, @Nullable Object> step(JobDetails.Step step) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("name", step.name());
        shown.put("finishedAt", step.finishedAt());
        shown.put("result", masks.json(step.result()));
        return shown;
    }

    private Map<String, @Nullable Object> event(JobDetails.Event event) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("number", event.number());
        shown.put("at", event.at());
        shown.put("kind", event.kind());
        shown.put("level", event.level());
        shown.put("percent", event.percent());
        shown.put("stage", event.stage());
        String message = event.message();
        shown.put("message", message == null ? null : masks.cut(message));
        return shown;
    }

    private static Map<String, @Nullable Object> summary(JobDetails job) {
        List<JobDetails.JobError> errors = job.errors();
        String error = errors.isEmpty() ? null : errors.get(errors.size() - 1).error();
        Map<String, @Nullable Object> shown = summary(new JobSummary(
                job.id(),
                job.queue(),
                job.type(),
                job.state(),
                job.priority(),
                job.runAt(),
                job.createdAt(),
                job.attempt(),
                job.maxAttempts(),
                job.workerId(),
                job.claimedAt(),
                job.finishedAt(),
                job.percent(),
                job.stage(),
                error == null ? null : error.lines().findFirst().orElse("")));
        shown.put("uniqueKey", job.uniqueKey());
        shown.put("limits", job.limits());
        shown.put("flowId", job.flowId());
        shown.put("flowStep", job.flowStep());
        return shown;
    }

    private static Map<String, @Nullable Object> summary(JobSummary job) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("id", job.id());
        shown.put("queue", job.queue());
        shown.put("type", job.type());
        shown.put("state", job.state());
        shown.put("priority", job.priority());
        shown.put("runAt", job.runAt());
        shown.put("createdAt", job.createdAt());
        shown.put("attempt", job.attempt());
        shown.put("maxAttempts", job.maxAttempts());
        shown.put("workerId", job.workerId());
        shown.put("claimedAt", job.claimedAt());
        shown.put("finishedAt", job.finishedAt());
        shown.put("percent", job.percent());
        shown.put("stage", job.stage());
        shown.put("error", job.error());
        return shown;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
