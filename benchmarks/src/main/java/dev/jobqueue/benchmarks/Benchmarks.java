package dev.jobqueue.benchmarks;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Report;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.phase.CallsPhase;
import dev.jobqueue.benchmarks.phase.DrainPhase;
import dev.jobqueue.benchmarks.phase.FlowsPhase;
import dev.jobqueue.benchmarks.phase.ForwardPhase;
import dev.jobqueue.benchmarks.phase.GrowthPhase;
import dev.jobqueue.benchmarks.phase.IdlePhase;
import dev.jobqueue.benchmarks.phase.Lab;
import dev.jobqueue.benchmarks.phase.LanesPhase;
import dev.jobqueue.benchmarks.phase.NodesPhase;
import dev.jobqueue.benchmarks.phase.Phase;
import dev.jobqueue.benchmarks.phase.PickupPhase;
import dev.jobqueue.benchmarks.phase.PublishPhase;
import dev.jobqueue.benchmarks.phase.QueuesPhase;
import dev.jobqueue.benchmarks.phase.SchedulesPhase;
import dev.jobqueue.benchmarks.phase.SlotsPhase;
import dev.jobqueue.benchmarks.phase.SnapshotPhase;
import dev.jobqueue.benchmarks.phase.TricklePhase;
import dev.jobqueue.benchmarks.phase.WakeUpPhase;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Measures the queue beside bare JDBC and its peers, on a PostgreSQL of its own, in rounds that go over all in turn.
 */
public final class Benchmarks {

    private static final List<String> PHASES = List.of(
            "publish",
            "drain",
            "trickle",
            "calls",
            "slots",
            "nodes",
            "queues",
            "wakeup",
            "pickup",
            "schedules",
            "idle",
            "growth",
            "lanes",
            "flows",
            "forward",
            "snapshot");

    /** The phases that measure the peers in every round. */
    private static final List<String> MEASURING_PEERS = List.of("publish", "drain", "trickle");

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
        AtomicBoolean ending = new AtomicBoolean();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ending.set(true)));
        try {
            Files.createDirectories(options.out());
            System.out.println(run(options));
            // the peers leave threads behind
            System.exit(0);
        } catch (Exception | LinkageError ex) {
            if (!ending.get()) {
                ex.printStackTrace();
            }
            System.exit(1);
        }
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
                lab.warmUp(!Collections.disjoint(options.phases(), MEASURING_PEERS));
                // after each phase, so that a run that is ended early leaves what it has
                measure(options, lab, results, () -> write(options, new Report(results, Bars.of(results), machine)));
            }
            return new Report(results, Bars.of(results), machine).text();
        }
    }

    private static void measure(Options options, Lab lab, Results results, Saving saving) throws Exception {
        Map<String, Phase> phases = new LinkedHashMap<>();
        for (String name : options.phases()) {
            phases.put(name, phase(name, lab));
        }
        int steps = options.rounds() * phases.size();
        int step = 0;
        for (int round = 1; round <= options.rounds(); round++) {
            for (Map.Entry<String, Phase> phase : phases.entrySet()) {
                System.out.printf(
                        "[%4d s] step %d of %d: round %d of %d, %s%n",
                        results.seconds(), ++step, steps, round, options.rounds(), phase.getKey());
                lab.rest();
                phase.getValue().round(round);
                saving.save();
            }
        }
    }

    private static Phase phase(String name, Lab lab) throws Exception {
        return switch (name) {
            case "publish" -> new PublishPhase(lab);
            case "drain" -> new DrainPhase(lab);
            case "trickle" -> new TricklePhase(lab);
            case "calls" -> new CallsPhase(lab);
            case "slots" -> new SlotsPhase(lab);
            case "nodes" -> new NodesPhase(lab);
            case "queues" -> new QueuesPhase(lab);
            case "wakeup" -> new WakeUpPhase(lab);
            case "pickup" -> new PickupPhase(lab);
            case "schedules" -> new SchedulesPhase(lab);
            case "idle" -> new IdlePhase(lab);
            case "growth" -> new GrowthPhase(lab);
            case "lanes" -> new LanesPhase(lab);
            case "flows" -> new FlowsPhase(lab);
            case "forward" -> new ForwardPhase(lab);
            case "snapshot" -> new SnapshotPhase(lab);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private static void write(Options options, Report report) throws IOException {
        Files.writeString(options.out().resolve("results.md"), report.markdown());
        Files.writeString(options.out().resolve("results.txt"), report.text());
    }

    private interface Saving {
        void save() throws IOException;
    }
}
