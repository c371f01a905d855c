package dev.jobqueue.dashboard;

import dev.jobqueue.AtLimit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.LimitDefinition.Kind;
import dev.jobqueue.OnDead;
import dev.jobqueue.Rate;
import dev.jobqueue.dashboard.Recorder.Done;
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
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Limits and their lanes: who is let start, who waits, and what people do about it. */
final class Limits implements Endpoints {

    private static final int PAGE = 50;

    private final JobLimits limits;
    private final LimitUses uses;
    private final Recorder recorder;

    Limits(JobLimits limits, Recorder recorder) {
        this.limits = limits;
        this.uses = new LimitUses(limits);
        this.recorder = recorder;
        recorder.undoes("limit", this::undo);
        recorder.undoes(
                "lane", (target, action, values) -> onLane(text(values, "name"), text(values, "key"), action, values));
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("limits", call -> list());
        routes.get("lanes", this::lanes);
        routes.post("limits/*", this::act);
    }

    List<Map<String, @Nullable Object>> list() {
        return limits.list().stream().map(Limits::limit).toList();
    }

    private static Map<String, @Nullable Object> limit(LimitFigures figures) {
        Map<String, @Nullable Object> shown = values(figures.definition());
        shown.put("owner", figures.owner());
        shown.put("held", figures.held());
        shown.put("waiting", figures.waiting());
        shown.put("blocked", figures.blocked());
        shown.put("uses", figures.uses());
        return shown;
    }

    /** What can be changed, in the form in which {@link #change} reads it. */
    private static Map<String, @Nullable Object> values(LimitDefinition limit) {
        Map<String, @Nullable Object> values = new LinkedHashMap<>();
        values.put("name", limit.name());
        values.put("kind", limit.kind());
        values.put("running", limit.running());
        values.put("rate", limit.rate() == null ? null : limit.rate().toString());
        values.put("burst", limit.burst());
        values.put("atLimit", limit.atLimit());
        values.put("onDead", limit.onDead());
        values.put("weights", limit.weights());
        return values;
    }

    Map<String, @Nullable Object> lanes(Call call) {
        String limit = call.parameter("limit");
        String after = call.parameter("after");
        if (limit == null) {
            throw Refusal.invalid("limit is missing: lanes are those of one limit");
        }
        JobCursor from = after == null ? JobCursor.START : new JobCursor(after);
        LanePage page = call.parameter("blocked") == null
                ? limits.lanes(limit, from, PAGE)
                : limits.blockedLanes(limit, from, PAGE);
        JobCursor next = page.next();
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("lanes", page.lanes().stream().map(Limits::lane).toList());
        shown.put("next", next == null ? null : next.text());
        return shown;
    }

    private static Map<String, @Nullable Object> lane(LaneFigures lane) {
        Duration oldest = lane.oldest();
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("key", lane.key());
        shown.put("held", lane.held());
        shown.put("running", lane.running());
        shown.put("waiting", lane.waiting());
        shown.put("oldestMs", oldest == null ? null : oldest.toMillis());
        shown.put("opensAt", lane.opensAt());
        shown.put("blockedBy", lane.blockedBy());
        return shown;
    }

    Map<String, @Nullable Object> act(Call call) {
        String action = call.name();
        JsonNode body = call.body();
        String name = text(body, "name");
        String key = text(body, "key");
        return switch (action) {
            case "change" -> recorder.record(call.caller(), "limit.change", name, () -> change(name, body));
            case "remove" -> recorder.record(call.caller(), "limit.remove", name, () -> remove(name));
            case "apply", "lift" ->
                recorder.record(
                        call.caller(),
                        "limit." + action,
                        name + " " + text(body, "type") + text(body, "queue"),
                        () -> uses.change(known(name).name(), action, body));
            case "release", "close", "open" ->
                recorder.record(
                        call.caller(), "lane." + action, name + " " + key, () -> onLane(name, key, action, body));
            default ->
                throw Refusal.missing(
                        "Unknown action '%s' for a limit. Use one of: change, remove, apply, lift, release, close, open"
                                .formatted(action));
        };
    }

    private Done undo(String name, String action, JsonNode values) {
        return switch (action) {
            case "restore" -> restore(name, values);
            case "apply" -> uses.set(values);
            default -> change(name, values);
        };
    }

    private LimitDefinition known(String name) {
        return limits.find(name)
                .map(LimitFigures::definition)
                .orElseThrow(() -> Refusal.missing("There is no limit '%s'.".formatted(name)));
    }

    private Done change(String name, JsonNode values) {
        LimitDefinition before = known(name);
        limits.set(changed(before, values));
        return new Done(null, 0, undo("change", before));
    }

    private Done remove(String name) {
        LimitDefinition before = known(name);
        limits.remove(name);
        return new Done(null, 0, undo("restore", before));
    }

    private static Map<String, @Nullable Object> undo(String action, LimitDefinition before) {
        Map<String, @Nullable Object> undo = values(before);
        undo.put("action", action);
        return undo;
    }

    private Done restore(String name, JsonNode values) {
        Kind kind = Kind.valueOf(text(values, "kind"));
        limits.set(changed(
                new LimitDefinition(
                        name, kind, kind == Kind.LIMIT ? 1 : null, null, null, AtLimit.WAIT, OnDead.BLOCK, Map.of()),
                values));
        return new Done(null, 0, null);
    }

    /** What is given is taken, where null stands for no bound; the rest stays. */
    private static LimitDefinition changed(LimitDefinition before, JsonNode values) {
        Rate rate = values.has("rate") ? rate(text(values, "rate")) : before.rate();
        Integer burst = values.has("burst") ? number(values, "burst") : before.burst();
        AtLimit atLimit = Words.of(AtLimit.class, "atLimit", text(values, "atLimit"));
        OnDead onDead = Words.of(OnDead.class, "onDead", text(values, "onDead"));
        return new LimitDefinition(
                before.name(),
                before.kind(),
                values.has("running") ? number(values, "running") : before.running(),
                rate,
                rate == null ? null : burst,
                atLimit == null ? before.atLimit() : atLimit,
                onDead == null ? before.onDead() : onDead,
                values.path("weights").isObject() ? weights(values.path("weights")) : before.weights());
    }

    private static Map<String, Integer> weights(JsonNode given) {
        Map<String, Integer> weights = new LinkedHashMap<>();
        for (String key : given.propertyNames()) {
            Integer weight = number(given, key);
            if (weight != null) {
                weights.put(key, weight);
            }
        }
        return weights;
    }

    static String text(JsonNode values, String name) {
        return values.path(name).asString("");
    }

    private static @Nullable Rate rate(String text) {
        return text.isBlank() ? null : Rate.of(text);
    }

    private static @Nullable Integer number(JsonNode values, String name) {
        JsonNode number = values.path(name);
        if (number.isNull() || number.isInt()) {
            return number.isNull() ? null : Integer.valueOf(number.intValue());
        }
        throw Refusal.invalid("%s is '%s': must be an integer".formatted(name, number.asString("")));
    }

    private Done onLane(String limit, String key, String action, JsonNode body) {
        if (action.equals("release")) {
            if (!limits.releaseLane(limit, key)) {
                throw Refusal.invalid("The lane '%s' of '%s' stands behind no job any more.".formatted(key, limit));
            }
            return new Done(null, 0, null);
        }
        boolean opens = action.equals("open");
        limits.closeLane(limit, key, opens ? Instant.EPOCH : Actions.time(body, "until"));
        return new Done(null, 0, opens ? null : Map.of("action", "open", "name", limit, "key", key));
    }
}
