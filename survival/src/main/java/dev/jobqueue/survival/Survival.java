package dev.jobqueue.survival;

import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.cluster.Timing;
import dev.jobqueue.survival.fault.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Breaks everything, again and again, and ends with 1 if the queue broke a promise. */
public final class Survival {

    private static final Set<Fault> STARTING =
            EnumSet.of(Fault.PRODUCER_KILLED, Fault.ROLLING_RESTART, Fault.CLOCK_AHEAD, Fault.HANDLER_EXITS);

    private Survival() {}

    public static void main(String[] arguments) throws IOException {
        Options options;
        try {
            options = Options.parse(List.of(arguments));
        } catch (IllegalArgumentException ex) {
            System.err.println(ex.getMessage() + "\n" + Options.USAGE);
            System.exit(2);
            return;
        }
        System.exit(survive(options) ? 0 : 1);
    }

    private static boolean survive(Options options) throws IOException {
        Path directory = Files.createDirectories(
                        Path.of("target", "survival", Long.toString(System.currentTimeMillis())))
                .toAbsolutePath();
        System.out.printf("Seed %d, %s, ledgers in %s%n", options.seed(), options.time(), directory);
        Random random = new Random(options.seed());
        try (Cluster cluster = Cluster.start(directory, Timing.SHORT)) {
            Campaign campaign = new Campaign(cluster, random, System.out);
            long deadline = System.nanoTime() + options.time().toNanos();
            List<Fault> next = new ArrayList<>();
            while (deadline - System.nanoTime() > 0) {
                if (next.isEmpty()) {
                    next.addAll(round());
                    Collections.shuffle(next, random);
                }
                campaign.strike(next.remove(next.size() - 1));
            }
            campaign.finish();
            return campaign.violations().isEmpty();
        }
    }

    /** All of them, and more of those that need no new process. */
    private static List<Fault> round() {
        return Arrays.stream(Fault.values())
                .filter(Fault::isPossible)
                .flatMap(fault -> Collections.nCopies(STARTING.contains(fault) ? 1 : 3, fault).stream())
                .toList();
    }
}
