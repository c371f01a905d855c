package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.MatchingJobs;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The actions of operators; each is logged. */
final class Actions {

    private static final Logger log = LoggerFactory.getLogger(Actions.class);

    private final JobOperations operations;

    Actions(JobOperations operations) {
        this.operations = operations;
    }

    Object onQueue(String queue, String action) {
        switch (action) {
            case "pause" -> operations.pause(queue);
            case "resume" -> operations.resume(queue);
            default -> throw unknown(action, "a queue", "pause, resume");
        }
        log.info("Queue '{}': {} by {}", queue, action, Caller.name());
        return Map.of("queue", queue, "done", action);
    }

    Object onJob(UUID id, String action) {
        Object state = switch (action) {
            case "cancel" -> operations.cancel(id);
            case "retry" -> {
                operations.retry(id);
                yield state(id);
            }
            case "replay" -> {
                operations.replay(id);
                yield state(id);
            }
            case "purge" -> {
                operations.purge(id);
                yield "GONE";
            }
            default -> throw unknown(action, "a job", "cancel, retry, replay, purge");
        };
        log.info("Job {}: {} by {}, and it is {}", id, action, Caller.name(), state);
        boolean late = state == JobState.COMPLETED || state == JobState.DEAD;
        return Map.of("id", id, "done", late ? "nothing: it has ended" : action, "state", state);
    }

    /** One with limits waits for them; a node may have taken the job already, or may even be done with it. */
    private JobState state(UUID id) {
        return operations.find(id).map(JobDetails::state).orElse(JobState.PENDING);
    }

    Object onDeadLetters(String action, DeadLetters which, boolean dryRun) {
        boolean replay = action.equals("replay");
        if (!replay && !action.equals("purge")) {
            throw unknown(action, "dead letters", "replay, purge");
        }
        which.check(replay, dryRun);
        MatchingJobs batch = operations.all(which.filter());
        batch = which.max == null ? batch : batch.limit(which.max);
        batch = dryRun ? batch.dryRun() : batch;
        JobCount count = replay ? batch.replay() : batch.purge();
        if (dryRun) {
            return wouldDo(action, count, which);
        }
        log.info("Dead letters ({}): {} of {} by {}", which, action, count.jobs(), Caller.name());
        return Map.of("done", action, "dryRun", false, "count", count.jobs());
    }

    private static Object wouldDo(String action, JobCount count, DeadLetters which) {
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("done", "nothing: say \"dryRun\": false to " + action + " them");
        answer.put("dryRun", true);
        answer.put("count", count.jobs());
        answer.put("countIsAtLeast", count.isAtLeast() && (which.max == null || count.jobs() < which.max));
        return answer;
    }

    static Responses.Missing unknown(String action, String thing, String actions) {
        return Responses.missing("'%s' cannot be done with %s, but there are: %s".formatted(action, thing, actions));
    }

    /** Which dead letters; {@code null} matches all. */
    record DeadLetters(
            @Nullable String queue,
            @Nullable String type,
            @Nullable String errorLike,
            @Nullable Duration olderThan,
            @Nullable Integer max,
            boolean all) {

        JobFilter filter() {
            return JobFilter.of(JobState.DEAD)
                    .queue(queue)
                    .type(type)
                    .errorLike(errorLike)
                    .before(olderThan == null ? null : Instant.now().minus(olderThan));
        }

        /** The filters that are set, for the log. */
        @Override
        public String toString() {
            Map<String, @Nullable Object> filters = new LinkedHashMap<>();
            filters.put("queue", queue);
            filters.put("type", type);
            filters.put("error like", errorLike);
            filters.put("older than", olderThan == null ? null : Spans.text(olderThan));
            filters.put("at most", max);
            filters.values().removeIf(Objects::isNull);
            return filters.isEmpty() ? "all" : filters.toString();
        }

        /**
         * Asks for a filter or for {@code all}: Boot drops a misspelt filter, and nobody must hit all jobs by mistake.
         */
        void check(boolean replay, boolean dryRun) {
            if (replay && olderThan != null) {
                throw Arguments.invalid(
                        "olderThan is '%s': it is for purge only, leave it out".formatted(Spans.text(olderThan)));
            }
            if (!replay && max != null) {
                throw Arguments.invalid("max is '%s': it is for replay only, leave it out".formatted(max));
            }
            boolean filtered = queue != null || type != null || errorLike != null || olderThan != null;
            if (!dryRun && !filtered && !all) {
                throw Arguments.invalid("No filter is given: name queue, type, errorLike or (to purge) olderThan;"
                        + " or say \"all\": true if you mean all dead letters");
            }
            if (filtered && all) {
                throw Arguments.invalid("all is 'true' and there is a filter: leave one of them out");
            }
        }
    }
}
