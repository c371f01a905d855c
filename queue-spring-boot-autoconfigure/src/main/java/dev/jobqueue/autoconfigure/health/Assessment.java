package dev.jobqueue.autoconfigure.health;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.node.NodeStatus.ListenerState;
import dev.jobqueue.internal.node.NodeStatus.ThreadStatus;
import dev.jobqueue.internal.operate.DatabaseFigures;
import dev.jobqueue.internal.operate.MeterFigures.LimitCounts;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.UnhandledType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Judges what was read: collects details and problems, and the worst level among them. */
final class Assessment {

    private static final Set<String> ESSENTIAL = Set.of("settle", "claim");

    private final QueueProperties properties;
    private final Map<String, Object> details = new LinkedHashMap<>();
    private final Map<String, Map<String, Object>> queues = new LinkedHashMap<>();
    private final List<String> problems = new ArrayList<>();
    private Level level = Level.OK;

    Assessment(QueueProperties properties) {
        this.properties = properties;
    }

    Level level() {
        return level;
    }

    Map<String, Object> details() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("state", level);
        all.put("problems", problems);
        all.putAll(details);
        return all;
    }

    void queues(List<QueueFigures> figures) {
        figures.forEach(each -> queues.put(each.queue(), queue(each)));
        details.put("queues", queues);
    }

    private Map<String, Object> queue(QueueFigures figures) {
        QueueThresholds thresholds = new QueueThresholds(properties, figures);
        Level pending = Level.ofCount(figures.pending(), thresholds.pendingWarning(), null)
                .or(calmed(Level.ofCount(figures.pendingHandled(), null, thresholds.pendingCritical()), figures));
        if (Level.ofCount(figures.pending(), null, thresholds.pendingCritical()) != Level.OK) {
            pending = pending.or(Level.WARNING);
        }
        Level oldest = Level.of(figures.oldest(), thresholds.oldestWarning(), null)
                .or(calmed(Level.of(figures.oldestHandled(), null, thresholds.oldestCritical()), figures));
        Level dead = Level.ofCount(figures.dead(), thresholds.deadWarning(), thresholds.deadCritical());
        String name = "Queue '" + figures.queue() + "' ";
        if (pending != Level.OK) {
            problem(pending, name + "has " + Counts.of(figures.pending(), "pending job"));
        }
        if (oldest != Level.OK) {
            problem(oldest, name + "has a job that has been due for " + seconds(figures.oldest()) + " s");
        }
        if (dead != Level.OK) {
            problem(dead, name + "has " + Counts.of(figures.dead(), "dead letter"));
        }
        return details(figures, pending.or(oldest).or(dead));
    }

    private static Map<String, Object> details(QueueFigures figures, Level state) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("state", state);
        details.put("pending", figures.pending());
        if (figures.pendingIsAtLeast()) {
            details.put("pendingIsAtLeast", true);
        }
        details.put("waiting", figures.waiting());
        details.put("running", figures.running());
        details.put("scheduled", figures.scheduled());
        details.put("dead", figures.dead());
        details.put("oldestPendingSeconds", seconds(figures.oldest()));
        if (figures.pausedAt() != null) {
            details.put("pausedAt", figures.pausedAt());
        }
        return details;
    }

    /**
     * A backlog of a paused queue is wanted, and one that no node can handle is no fault of the nodes: neither is more
     * than a warning.
     */
    private static Level calmed(Level level, QueueFigures figures) {
        boolean calm = figures.pausedAt() != null || figures.oldestHandled() == null;
        return calm && level == Level.CRITICAL ? Level.WARNING : level;
    }

    void unhandled(List<UnhandledType> unhandled) {
        for (UnhandledType each : unhandled) {
            problem(Level.WARNING, each.isHandledElsewhere() ? each.problem() + ". " + each.remedy() : each.problem());
            Map<String, Object> queue = queues.get(each.queue());
            if (each.isHandledElsewhere() && queue != null && queue.get("state") instanceof Level state) {
                queue.put("state", state.or(Level.WARNING));
            }
        }
        details.put(
                "typesWithoutHandler",
                unhandled.stream().map(UnhandledType::type).distinct().toList());
        details.put(
                "queuesWithoutNode",
                unhandled.stream()
                        .filter(UnhandledType::isHandledElsewhere)
                        .map(UnhandledType::queue)
                        .distinct()
                        .toList());
    }

    /** Jobs that wait for a limit are no trouble; a lane behind a dead letter waits until somebody does something. */
    void limits(List<LimitCounts> limits) {
        Map<String, Object> blocked = new LinkedHashMap<>();
        for (LimitCounts each : limits) {
            if (each.blocked() > 0) {
                blocked.put(each.name(), each.blocked());
                problem(
                        Level.WARNING,
                        "Limit '%s' has %s behind a dead letter: replay or purge it, or release the lane"
                                .formatted(each.name(), Counts.of(each.blocked(), "FIFO lane")));
            }
        }
        details.put("blockedLanes", blocked);
    }

    void nodes(long live) {
        details.put("liveNodes", live);
    }

    void worker(NodeStatus.@Nullable Worker worker) {
        if (worker == null) {
            details.put("worker", Map.of("running", false));
            return;
        }
        boolean alive = worker.sinceLastBeat().compareTo(properties.worker().ttl()) < 0;
        if (!alive) {
            problem(
                    Level.CRITICAL,
                    "This node has sent no heartbeat for "
                            + worker.sinceLastBeat().toSeconds() + " s");
        }
        worker.deafRuns()
                .forEach((type, runs) -> problem(
                        Level.WARNING,
                        "%s of '%s' went on after the interrupt of the timeout: each keeps its thread%s"
                                .formatted(
                                        Counts.of(runs.count(), "run"),
                                        type,
                                        runs.transactional() ? " and a transaction" : "")));
        Map<String, Object> node = new LinkedHashMap<>();
        node.put("running", true);
        node.put("id", worker.id());
        node.put("alive", alive);
        node.put("slots", worker.slots());
        details.put("worker", node);
        ListenerState listener = worker.listener();
        details.put("listener", listener == null ? "POLLING_ONLY" : listener);
        if (listener != null && !worker.isListening()) {
            problem(Level.WARNING, "This node hears of no notifications (" + listener + ") and only polls");
        }
    }

    /** What the database keeps this node from doing. A node that cannot claim or settle for long is critical. */
    void outages(Map<String, Outage.Report> outages) {
        Map<String, Object> known = new LinkedHashMap<>();
        outages.forEach((task, report) -> {
            known.put(task, Map.of("seconds", seconds(report.lasts()), "error", report.error()));
            boolean critical = ESSENTIAL.contains(task)
                    && report.lasts().compareTo(properties.health().outageCritical()) >= 0;
            problem(critical ? Level.CRITICAL : Level.WARNING, report.toString());
        });
        details.put("outages", known);
    }

    /** The queue's own threads: one that is dead or stuck is critical, one that met an Error is worth a look. */
    void threads(List<ThreadStatus> threads) {
        Map<String, Object> states = new LinkedHashMap<>();
        for (ThreadStatus thread : threads) {
            String trouble = thread.trouble();
            if (trouble != null) {
                problem(Level.CRITICAL, "Thread '" + thread.name() + "' " + trouble);
            } else if (thread.failures() > 0) {
                problem(
                        Level.WARNING,
                        "Thread '%s' went on after %s since the start, the last of them %s (see the log)"
                                .formatted(thread.name(), Counts.of(thread.failures(), "error"), thread.lastFailure()));
            }
            states.put(thread.name(), thread.state());
        }
        details.put("threads", states);
    }

    void database(DatabaseFigures database) {
        QueueProperties.Health health = properties.health();
        Duration transaction = database.oldestTransaction();
        if (Level.of(transaction, health.transactionWarning(), null) != Level.OK) {
            problem(
                    Level.WARNING,
                    "A transaction has been open for %s s and holds back vacuum (%s)"
                            .formatted(seconds(transaction), database.heldBy()));
        }
        if (database.deadTuples() >= health.deadTuplesWarning()) {
            problem(Level.WARNING, "The table of live jobs has " + database.deadTuples() + " dead tuples");
        }
        if (database.notificationUsage() >= health.notificationWarning()) {
            problem(
                    Level.WARNING,
                    "PostgreSQL's queue of notifications is %d %% full: a session listens and does not read"
                            .formatted(Math.round(database.notificationUsage() * 100)));
        }
        Map<String, Object> figures = new LinkedHashMap<>();
        figures.put("oldestTransactionSeconds", seconds(transaction));
        figures.put("oldestSnapshotAge", database.xminAge());
        figures.put("liveTuples", database.liveTuples());
        figures.put("deadTuples", database.deadTuples());
        figures.put("vacuumedAt", Objects.requireNonNullElse((Object) database.vacuumedAt(), "never"));
        figures.put("notificationQueueUsage", database.notificationUsage());
        details.put("database", figures);
    }

    void detail(String name, Object value) {
        details.put(name, value);
    }

    void problem(Level found, String problem) {
        level = level.or(found);
        problems.add(problem);
    }

    private static double seconds(@Nullable Duration duration) {
        return duration == null ? 0 : duration.toMillis() / 1000.0;
    }
}
