package dev.jobqueue.benchmarks;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Report;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.phase.DrainPhase;
import dev.jobqueue.benchmarks.phase.GrowthPhase;
import dev.jobqueue.benchmarks.phase.IdlePhase;
import dev.jobqueue.benchmarks.phase.Lab;
import dev.jobqueue.benchmarks.phase.NodesPhase;
import dev.jobqueue.benchmarks.phase.Phase;
import dev.jobqueue.benchmarks.phase.PickupPhase;
import dev.jobqueue.benchmarks.phase.PublishPhase;
import dev.jobqueue.benchmarks.phase.SlotsPhase;
import dev.jobqueue.benchmarks.phase.SnapshotPhase;
import dev.jobqueue.benchmarks.phase.WakeUpPhase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures the queue beside bare JDBC and its peers, on a PostgreSQL of its own, in rounds that go over all in turn. */
public final class Benchmarks {

    private static final List<String> PHASES =
            List.of("publish", "drain", "slots", "nodes", "wakeup", "pickup", "idle", "growth", "snapshot");

    private Benchmarks() {}

    public static void main(String[] arguments) throws Exception {
        Options options;
        try {
            options = Options.parse(List.of(arguments), PHASES);
        } catch (IllegalArgumentException ex) {
            System.err.println(ex.getMessage());
            System.err.printf(Options.USAGE, String.join(", ", PHASES));
            System.exit(2);
            return;
        }
        Files.createDirectories(options.out());
        System.out.println(run(options));
        // the peers leave threads behind
        System.exit(0);
    }

    private static String run(Options options) throws Exception {
        Results results = new Results(options.out().resolve("samples.tsv"));
        try (Server server = Server.start()) {
            List<String> machine = new ArrayList<>(List.of(
                    Instant.now() + ", " + options.rounds() + " rounds" + (options.quick() ? ", quick" : ""),
                    Host.describe(),
                    server.describe()));
            machine.forEach(System.out::println);
            Host host = new Host(server.postmaster(), options.patience());
            try (Lab lab = new Lab(server, host, results, options.quick())) {
                System.out.println("Warming up");
                lab.warmUp(options.only().contains("drain"));
                measure(options, lab);
            }
            return write(options.out(), new Report(results, Bars.of(results), machine));
        }
    }

    private static void measure(Options options, Lab lab) throws Exception {
        Map<String, Phase> phases = new LinkedHashMap<>();
        for (String name : options.only()) {
            phases.put(name, phase(name, lab));
        }
        for (int round = 1; round <= options.rounds(); round++) {
            for (Map.Entry<String, Phase> phase : phases.entrySet()) {
                System.out.printf("Round %d of %d: %s%n", round, options.rounds(), phase.getKey());
                phase.getValue().round(round);
            }
        }
    }

    private static Phase phase(String name, Lab lab) throws Exception {
        return switch (name) {
            case "publish" -> new PublishPhase(lab);
            case "drain" -> new DrainPhase(lab);
            case "slots" -> new SlotsPhase(lab);
            case "nodes" -> new NodesPhase(lab);
            case "wakeup" -> new WakeUpPhase(lab);
            case "pickup" -> new PickupPhase(lab);
            case "idle" -> new IdlePhase(lab);
            case "growth" -> new GrowthPhase(lab);
            case "snapshot" -> new SnapshotPhase(lab);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static String write(Path directory, Report report) throws IOException {
        Files.writeString(directory.resolve("results.md"), report.markdown());
        Files.writeString(directory.resolve("results.txt"), report.text());
        return report.text();
    }
}
