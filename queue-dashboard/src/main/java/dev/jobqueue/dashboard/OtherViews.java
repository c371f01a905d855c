package dev.jobqueue.dashboard;

import dev.jobqueue.operate.AuditEntry;
import dev.jobqueue.operate.DeadGroup;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.Throughput;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Charts, dead letters by error, schedules, nodes, and what people did. */
final class OtherViews implements Endpoints {

    private static final int GROUPS = 50;
    private static final int ENTRIES = 50;

    private final JobOperations operations;
    private final @Nullable JobSchedules schedules;
    private final JobAudit audit;
    private final Masks masks;

    OtherViews(JobOperations operations, @Nullable JobSchedules schedules, JobAudit audit, Masks masks) {
        this.operations = operations;
        this.schedules = schedules;
        this.audit = audit;
        this.masks = masks;
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("charts", this::charts);
        routes.get("dead", call -> dead());
        routes.get("schedules", call -> schedules());
        routes.get("nodes", call -> nodes());
        routes.get("audit", this::audit);
    }

    /** How far a chart goes back, and how long its steps are. */
    private enum Window {
        MINUTES("5m", Duration.ofMinutes(5), Duration.ofSeconds(10)),
        HOUR("1h", Duration.ofHours(1), Duration.ofMinutes(1)),
        DAY("1d", Duration.ofDays(1), Duration.ofMinutes(15));

        private final String name;
        private final Duration span;
        private final Duration step;

        Window(String name, Duration span, Duration step) {
            this.name = name;
            this.span = span;
            this.step = step;
        }

        static Window of(@Nullable String name) {
            for (Window each : values()) {
                if (each.name.equals(name == null ? "1h" : name)) {
                    return each;
                }
            }
            throw Refusal.invalid("window is '%s': must be 5m, 1h or 1d".formatted(name));
        }
    }

    Map<String, Object> charts(Call call) {
        Window window = Window.of(call.parameter("window"));
        List<Throughput> points =
                operations.throughput(call.parameter("queue"), call.parameter("type"), window.span, window.step);
        return Map.of(
                "stepMs",
                window.step.toMillis(),
                "points",
                points.stream().map(OtherViews::point).toList());
    }

    private static Map<String, @Nullable Object> point(Throughput step) {
        Map<String, @Nullable Object> point = new LinkedHashMap<>();
        point.put("at", step.at());
        point.put("completed", step.completed());
        point.put("failed", step.failed());
        point.put("dead", step.dead());
        point.put("waitMs", millis(step.averageWait()));
        point.put("runMs", millis(step.averageRun()));
        return point;
    }

    List<Map<String, Object>> dead() {
        return operations.deadGroups(GROUPS).stream().map(OtherViews::group).toList();
    }

    private static Map<String, Object> group(DeadGroup group) {
        Map<String, Object> shown = new LinkedHashMap<>();
        shown.put("fingerprint", group.fingerprint());
        shown.put("type", group.type());
        shown.put("queue", group.queue());
        shown.put("error", group.error());
        shown.put("jobs", group.jobs().jobs());
        shown.put("isAtLeast", group.jobs().isAtLeast());
        shown.put("firstAt", group.firstAt());
        shown.put("lastAt", group.lastAt());
        shown.put("exampleId", group.example());
        shown.put("q", "state:dead fingerprint:" + group.fingerprint());
        return shown;
    }

    List<Map<String, @Nullable Object>> schedules() {
        return schedules == null
                ? List.of()
                : schedules.list().stream().map(this::schedule).toList();
    }

    private Map<String, @Nullable Object> schedule(Schedule schedule) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("name", schedule.name());
        shown.put("type", schedule.type());
        shown.put("queue", schedule.queue());
        shown.put("payload", masks.json(schedule.payload()));
        shown.put("priority", schedule.priority());
        shown.put("cron", schedule.cron());
        shown.put("everyMs", millis(schedule.every()));
        shown.put("zone", schedule.zone());
        shown.put("misfire", schedule.misfire());
        shown.put("overlap", schedule.overlap());
        shown.put("origin", schedule.origin());
        shown.put("owner", schedule.owner());
        shown.put("paused", schedule.paused());
        shown.put("retired", schedule.retired());
        shown.put("problem", schedule.problem());
        shown.put("nextRunAt", schedule.nextRunAt());
        shown.put("lastRunAt", schedule.lastRunAt());
        shown.put("lastJobId", schedule.lastJobId());
        shown.put("fired", schedule.fired());
        shown.put("skipped", schedule.skipped());
        shown.put("missed", schedule.missed());
        return shown;
    }

    List<Map<String, @Nullable Object>> nodes() {
        return operations.nodes().stream().map(OtherViews::node).toList();
    }

    private static Map<String, @Nullable Object> node(NodeFigures node) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("id", node.id());
        shown.put("host", node.host());
        shown.put("pid", node.pid());
        shown.put("version", node.version());
        shown.put("queues", node.queues());
        shown.put("types", node.types());
        shown.put("startedAt", node.startedAt());
        shown.put("sinceBeatMs", node.sinceBeat().toMillis());
        shown.put("live", node.isLive());
        shown.put("running", node.running());
        return shown;
    }

    Map<String, @Nullable Object> audit(Call call) {
        String after = call.parameter("after");
        List<AuditEntry> entries = audit.find(after == null ? null : number(after), ENTRIES);
        Map<String, @Nullable Object> page = new LinkedHashMap<>();
        page.put("entries", entries.stream().map(OtherViews::entry).toList());
        page.put(
                "next",
                entries.size() < ENTRIES
                        ? null
                        : String.valueOf(entries.get(ENTRIES - 1).id()));
        return page;
    }

    static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException ex) {
            throw Refusal.missing("'%s' is not the number of an entry".formatted(text));
        }
    }

    /** What is kept as "queue.pause" is the action "pause" on a thing of the kind "queue". */
    private static Map<String, @Nullable Object> entry(AuditEntry entry) {
        int dot = entry.action().indexOf('.');
        String filter = entry.filter();
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("id", entry.id());
        shown.put("at", entry.at());
        shown.put("user", entry.actor());
        shown.put("kind", dot < 0 ? null : entry.action().substring(0, dot));
        shown.put("action", entry.action().substring(dot + 1));
        shown.put("target", entry.target());
        shown.put(
                "filter",
                filter == null
                        ? null
                        : Responses.MAPPER.readTree(filter).path("q").asString(filter));
        shown.put("jobs", entry.jobs());
        shown.put("canUndo", entry.canUndo());
        shown.put("undoneAt", entry.undoneAt());
        shown.put("undoneBy", entry.undoneBy());
        return shown;
    }

    private static @Nullable Long millis(@Nullable Duration duration) {
        return duration == null ? null : duration.toMillis();
    }
}
