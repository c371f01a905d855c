package dev.jobqueue.dashboard;

import dev.jobqueue.operate.LimitFigures;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.UnhandledType;
import dev.jobqueue.schedule.Schedule;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is wrong, in sentences, the worst first. */
final class Problems {

    /** A schedule that is late by less may only wait for its node. The meters judge so, too. */
    static final Duration LATE = Duration.ofMinutes(1);

    private Problems() {}

    private record Problem(
            String level, String message, @Nullable String link) {}

    static List<Map<String, @Nullable Object>> of(
            List<QueueFigures> queues,
            List<NodeFigures> nodes,
            List<UnhandledType> unhandled,
            List<Schedule> schedules,
            List<LimitFigures> limits) {
        List<Problem> problems = new ArrayList<>();
        queues.forEach(each -> addQueue(problems, each));
        addNodes(problems, queues, nodes);
        unhandled.forEach(each -> problems.add(new Problem(
                "WARNING",
                each.isHandledElsewhere() ? each.problem() + ". " + each.remedy() : each.problem() + ".",
                jobs("state:pending type:%s queue:%s".formatted(quoted(each.type()), quoted(each.queue()))))));
        Instant late = Instant.now().minus(LATE);
        schedules.forEach(each -> addSchedule(problems, each, late));
        limits.stream().filter(each -> each.blocked() > 0).forEach(each -> problems.add(blocked(each)));
        problems.sort(Comparator.comparing((Problem each) -> !each.level().equals("CRITICAL")));
        return problems.stream().map(Problems::shown).toList();
    }

    /** By the thresholds of the queue, as the health indicator has them. */
    static String level(QueueFigures queue) {
        long pending = queue.pendingHandled();
        return pending > 0 && pending >= queue.pendingCritical()
                ? "CRITICAL"
                : pending > 0 && pending >= queue.pendingWarning() ? "WARNING" : "OK";
    }

    private static void addQueue(List<Problem> problems, QueueFigures queue) {
        String link = jobs("state:pending queue:" + quoted(queue.queue()));
        String level = level(queue);
        if (!level.equals("OK")) {
            problems.add(new Problem(
                    level,
                    String.format(
                            Locale.ROOT,
                            "Queue '%s' has %,d%s pending jobs.",
                            queue.queue(),
                            queue.pending(),
                            queue.pendingIsAtLeast() ? "+" : ""),
                    link));
        }
        if (queue.pausedAt() != null && queue.pending() > 0) {
            problems.add(new Problem("WARNING", "Queue '%s' is paused.".formatted(queue.queue()), "queues"));
        }
    }

    private static void addNodes(List<Problem> problems, List<QueueFigures> queues, List<NodeFigures> nodes) {
        boolean waiting = queues.stream().anyMatch(each -> each.pending() > 0);
        if (waiting && nodes.stream().noneMatch(NodeFigures::isLive)) {
            problems.add(new Problem("CRITICAL", "Jobs wait, and no node is live.", "nodes"));
        }
        nodes.stream()
                .filter(each -> !each.isLive() && each.running() > 0)
                .forEach(each -> problems.add(new Problem(
                        "WARNING",
                        "Node '%s' is silent and still has %d jobs.".formatted(each.host(), each.running()),
                        "nodes")));
    }

    private static void addSchedule(List<Problem> problems, Schedule schedule, Instant late) {
        Instant next = schedule.nextRunAt();
        if (schedule.problem() != null) {
            problems.add(new Problem(
                    "CRITICAL",
                    "Schedule '%s' cannot run: %s".formatted(schedule.name(), schedule.problem()),
                    "schedules"));
        } else if (!schedule.paused() && !schedule.retired() && next != null && next.isBefore(late)) {
            problems.add(new Problem("WARNING", "Schedule '%s' is late.".formatted(schedule.name()), "schedules"));
        }
    }

    private static Problem blocked(LimitFigures limit) {
        String name = limit.definition().name();
        return new Problem(
                "WARNING",
                "Lanes of '%s' that stand behind a dead letter: %d.".formatted(name, limit.blocked()),
                "lanes?blocked=true&limit=" + encoded(name));
    }

    private static String quoted(String value) {
        return Query.quoted(value);
    }

    static String jobs(String query) {
        return "jobs?q=" + encoded(query);
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static Map<String, @Nullable Object> shown(Problem problem) {
        Map<String, @Nullable Object> shown = new LinkedHashMap<>();
        shown.put("level", problem.level());
        shown.put("message", problem.message());
        shown.put("link", problem.link());
        return shown;
    }
}
