package dev.jobqueue.internal.node;

import dev.jobqueue.internal.Outage;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What this node knows of its outages, for those who watch it. */
public final class NodeOutages {

    /** Who may notice one. */
    public static final List<String> TASKS =
            List.of("settle", "settle-single", "claim", "beat", "upkeep", "schedules", "listen", "wake-up");

    /** A call takes its time. */
    private static final Duration WORTH_TELLING = Duration.ofSeconds(1);

    private final RunningNode worker;
    private final Outage wakeUps;

    /**
     * @param wakeUps that of whoever wakes other nodes
     */
    public NodeOutages(RunningNode worker, Outage wakeUps) {
        this.worker = worker;
        this.wakeUps = wakeUps;
    }

    /** The outages that last for a second or longer, by task. */
    public Map<String, Outage.Report> reports() {
        Node current = worker.worker();
        Map<String, Optional<Outage.Report>> all = new HashMap<>(current == null ? Map.of() : current.outages());
        all.put("wake-up", wakeUps.report());
        Map<String, Outage.Report> reports = new TreeMap<>();
        all.forEach((task, known) -> known.filter(report -> report.lasts().compareTo(WORTH_TELLING) >= 0)
                .ifPresent(report -> reports.put(task, report)));
        return reports;
    }
}
