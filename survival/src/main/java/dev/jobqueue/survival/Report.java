package dev.jobqueue.survival;

import dev.jobqueue.survival.check.Ending;
import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.fault.Fault;
import dev.jobqueue.survival.ledger.Ledgers;
import dev.jobqueue.survival.ledger.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The figures of a run, as they stand in docs/reliability.md. */
final class Report {

    private final long began = System.nanoTime();
    private final Map<Fault, List<Duration>> recoveries = new EnumMap<>(Fault.class);

    void add(Fault fault, Duration recovery) {
        recoveries.computeIfAbsent(fault, each -> new ArrayList<>()).add(recovery);
    }

    String print(Cluster cluster, int faults, int violations) {
        Ledgers ledgers = cluster.ledgers().refresh();
        StringBuilder text = new StringBuilder("""

                | fault | times | recovery: median | longest |
                |---|---|---|---|
                """);
        recoveries.forEach((fault, times) -> text.append(row(fault, times)));
        text.append("""

                %d faults in %d minutes, %d violations.
                Jobs: %d published and committed by the producer, %d rolled back or never committed.
                The database has %s.
                Handlers: %d begun, %d finished. Calls under a lease: %d accepted, %d refused.
                """.formatted(
                        faults,
                        Duration.ofNanos(System.nanoTime() - began).toMinutes(),
                        violations,
                        ledgers.count(Verb.COMMITTED),
                        ledgers.count(Verb.ROLLED_BACK) + ledgers.count(Verb.HELD),
                        Ending.counts(cluster.database()),
                        ledgers.count(Verb.STARTED),
                        ledgers.count(Verb.FINISHED),
                        ledgers.count(Verb.ACCEPTED),
                        ledgers.count(Verb.REFUSED)));
        return text.toString();
    }

    private static String row(Fault fault, List<Duration> times) {
        List<Duration> sorted = times.stream().sorted().toList();
        return "| %s | %d | %.1f s | %.1f s |%n"
                .formatted(
                        fault.description(),
                        sorted.size(),
                        seconds(sorted.get(sorted.size() / 2)),
                        seconds(sorted.get(sorted.size() - 1)));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }
}
