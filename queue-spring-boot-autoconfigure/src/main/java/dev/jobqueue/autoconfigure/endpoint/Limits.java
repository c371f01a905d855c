package dev.jobqueue.autoconfigure.endpoint;

import dev.jobqueue.LimitDefinition;
import dev.jobqueue.Rate;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.LaneFigures;
import dev.jobqueue.operate.LanePage;
import dev.jobqueue.operate.LimitFigures;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Limits and their lanes, to look at and to act on. */
final class Limits {

    private static final Logger log = LoggerFactory.getLogger(Limits.class);

    private static final String ACTIONS = "set, remove, release, close, open";

    private final JobLimits limits;

    Limits(JobLimits limits) {
        this.limits = limits;
    }

    Map<String, Object> list() {
        return Map.of("limits", limits.list().stream().map(Limits::describe).toList());
    }

    Map<String, @Nullable Object> one(String name) {
        return describe(find(name));
    }

    private LimitFigures find(String name) {
        List<LimitFigures> all = limits.list();
        return all.stream()
                .filter(each -> each.definition().name().equals(name))
                .findFirst()
                .orElseThrow(() -> Responses.missing("There is no limit '%s', but there are: %s"
                        .formatted(
                                name,
                                all.stream()
                                        .map(each -> each.definition().name())
                                        .collect(Collectors.joining(", ")))));
    }

    Map<String, @Nullable Object> lanes(String name, JobCursor after, int max, boolean onlyBlocked) {
        find(name);
        LanePage page = onlyBlocked ? limits.blockedLanes(name, after, max) : limits.lanes(name, after, max);
        Map<String, @Nullable Object> described = new LinkedHashMap<>();
        described.put("limit", name);
        described.put("lanes", page.lanes().stream().map(Limits::describe).toList());
        described.put("next", page.next() == null ? null : page.next().text());
        return described;
    }

    Object act(String name, String action, Change change) {
        LimitFigures found = find(name);
        Object done = switch (action) {
            case "set" -> {
                limits.set(change.over(found.definition()));
                yield one(name);
            }
            case "remove" -> Map.of("limit", name, "done", limits.remove(name) ? action : "nothing: there is none");
            default -> actOnLane(name, change.key == null ? "" : change.key, action, change.duration);
        };
        log.info("Limit '{}': {} {} by {}", name, action, change, Caller.name());
        return done;
    }

    private Object actOnLane(String name, String key, String action, @Nullable Duration duration) {
        Map<String, Object> done = new LinkedHashMap<>(Map.of("limit", name, "key", key, "done", action));
        switch (action) {
            case "release" -> {
                if (!limits.releaseLane(name, key)) {
                    done.put("done", "nothing: it stands behind no job");
                }
            }
            case "close" -> {
                if (duration == null) {
                    throw Arguments.invalid("duration is missing: say for how long, such as 5m");
                }
                Instant until = Instant.now().plus(duration);
                limits.closeLane(name, key, until);
                done.put("until", until);
            }
            case "open" -> limits.closeLane(name, key, Instant.EPOCH);
            default -> throw Actions.unknown(action, "a limit", ACTIONS);
        }
        return done;
    }

    private static Map<String, @Nullable Object> describe(LimitFigures limit) {
        LimitDefinition definition = limit.definition();
        Map<String, @Nullable Object> described = new LinkedHashMap<>();
        described.put("name", definition.name());
        described.put("kind", definition.kind());
        described.put("running", definition.running());
        described.put(
                "rate", definition.rate() == null ? null : definition.rate().toString());
        described.put("burst", definition.burst());
        described.put("atLimit", definition.atLimit());
        described.put("onDead", definition.onDead());
        described.put("weights", definition.weights());
        described.put("owner", limit.owner());
        described.put("held", limit.held());
        described.put("waiting", limit.waiting());
        described.put("blockedLanes", limit.blocked());
        described.put("uses", limit.uses().stream().map(Responses::plain).toList());
        return described;
    }

    private static Map<String, @Nullable Object> describe(LaneFigures lane) {
        Map<String, @Nullable Object> described = new LinkedHashMap<>();
        Duration oldest = lane.oldest();
        described.put("key", lane.key());
        described.put("held", lane.held());
        described.put("running", lane.running());
        described.put("waiting", lane.waiting());
        described.put("oldestSeconds", oldest == null ? null : oldest.toMillis() / 1000.0);
        described.put("opensAt", lane.opensAt());
        described.put("blockedBy", lane.blockedBy());
        return described;
    }

    /**
     * What the caller sent.
     *
     * @param key of the lane; the one without a key if nothing is sent
     * @param duration for how long a lane is closed
     */
    record Change(
            @Nullable Integer running,
            @Nullable Rate rate,
            @Nullable Integer burst,
            @Nullable String key,
            @Nullable Duration duration) {

        static final Change NONE = new Change(null, null, null, null, null);

        static Change of(
                @Nullable String running,
                @Nullable String rate,
                @Nullable String burst,
                @Nullable String key,
                @Nullable String duration) {
            return new Change(
                    Arguments.number("running", running, Integer.MAX_VALUE),
                    rate == null || rate.isEmpty() ? null : Rate.of(rate),
                    Arguments.number("burst", burst, Integer.MAX_VALUE),
                    Arguments.text("key", key),
                    Arguments.duration("duration", duration));
        }

        private LimitDefinition over(LimitDefinition definition) {
            if (running == null && rate == null && burst == null) {
                throw Arguments.invalid("Nothing is given: say running, rate or burst");
            }
            // another rate has another burst, unless it is said too
            LimitDefinition changed =
                    rate == null ? definition : definition.burst(null).rate(rate);
            changed = running == null ? changed : changed.running(running);
            return burst == null ? changed : changed.burst(burst);
        }

        /** What is set, for the log. */
        @Override
        public String toString() {
            Map<String, @Nullable Object> set = new LinkedHashMap<>();
            set.put("running", running);
            set.put("rate", rate);
            set.put("burst", burst);
            set.put("key", key);
            set.put("for", duration);
            set.values().removeIf(each -> each == null);
            return set.toString();
        }
    }
}
