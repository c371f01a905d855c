package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.internal.store.Operations;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.convert.DurationStyle;

/** What operators do, each logged. */
final class Actions {

    private static final Logger log = LoggerFactory.getLogger(Actions.class);

    private final Operations operations;

    Actions(Operations operations) {
        this.operations = operations;
    }

    @Nullable
    Object onQueue(String queue, String action) {
        switch (action) {
            case "pause" -> operations.pause(queue);
            case "resume" -> operations.resume(queue);
            default -> {
                return null;
            }
        }
        log.info("Queue '{}': {}", queue, action);
        return Map.of("queue", queue, "done", action);
    }

    @Nullable
    Object onJob(UUID id, String action) {
        Object state = switch (action) {
            case "cancel" -> operations.cancel(id);
            case "retry" -> {
                operations.retry(id);
                yield "PENDING";
            }
            case "replay" -> {
                operations.replay(id);
                yield "PENDING";
            }
            case "purge" -> {
                operations.purge(id);
                yield "GONE";
            }
            default -> null;
        };
        if (state == null) {
            return null;
        }
        log.info("Job {}: {}, and it is {}", id, action, state);
        return Map.of("id", id, "done", action, "state", state);
    }

    @Nullable
    Object onDeadLetters(String action, DeadLetters which, boolean dryRun) {
        boolean replay = action.equals("replay");
        if (!replay && !action.equals("purge")) {
            return null;
        }
        check(which, replay);
        long count;
        if (dryRun) {
            long matching = operations.countDead(which.queue, which.type, which.errorLike, which.olderThan, replay);
            count = which.max == null ? matching : Math.min(matching, which.max);
        } else if (replay) {
            count = operations.replayAll(which.queue, which.type, which.errorLike, which.max);
        } else {
            count = operations.purgeAll(which.queue, which.type, which.errorLike, which.olderThan);
        }
        if (!dryRun) {
            log.info("Dead letters {}: {} of {}", which, action, count);
        }
        return Map.of("done", dryRun ? "nothing, dry run of " + action : action, "count", count, "dryRun", dryRun);
    }

    private static void check(DeadLetters which, boolean replay) {
        if (replay && which.olderThan != null) {
            throw QueuesEndpoint.invalid("'olderThan' is for purge only");
        }
        if (!replay && which.max != null) {
            throw QueuesEndpoint.invalid("'max' is for replay only");
        }
    }

    static @Nullable Duration duration(@Nullable String text) {
        try {
            return text == null ? null : DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException ex) {
            throw QueuesEndpoint.invalid("'%s' is no duration such as 30s, 5m or 7d".formatted(text));
        }
    }

    /** Which dead letters; {@code null} matches all. */
    record DeadLetters(
            @Nullable String queue,
            @Nullable String type,
            @Nullable String errorLike,
            @Nullable Duration olderThan,
            @Nullable Integer max) {}
}
