package dev.jobqueue.survival;

import dev.jobqueue.survival.check.Invariants;
import dev.jobqueue.survival.check.Recovery;
import dev.jobqueue.survival.check.Recovery.NotRecoveredException;
import dev.jobqueue.survival.cluster.Cluster;
import dev.jobqueue.survival.fault.Fault;
import java.io.PrintStream;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashSet;
import java.util.Random;
import java.util.Set;

/**
 * One fault after the other; after each the queue must recover, and every promise is checked on all that happened so
 * far.
 */
final class Campaign {

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss");

    /** A broken promise is rarely broken once, and nobody reads thousands. */
    private static final int PRINTED = 50;

    private final Cluster cluster;
    private final Random random;
    private final PrintStream out;
    private final Report report = new Report();
    private final Set<String> violations = new LinkedHashSet<>();
    private int faults;

    Campaign(Cluster cluster, Random random, PrintStream out) {
        this.cluster = cluster;
        this.random = random;
        this.out = out;
    }

    void strike(Fault fault) {
        cluster.awaitMost();
        faults++;
        String what = "fault %d, %s".formatted(faults, fault.description());
        try {
            Duration recovery = recover(fault);
            report.add(fault, recovery);
            out.printf("%s %s: recovered in %d ms%n", now(), what, recovery.toMillis());
        } catch (NotRecoveredException ex) {
            violated("a job moves on within the ttl and a margin: after " + what + ", " + ex.getMessage());
        }
        Invariants.violations(cluster).forEach(violation -> violated(violation + " [after " + what + "]"));
        cluster.calm();
    }

    private Duration recover(Fault fault) {
        Runnable repair = fault.strike(cluster, random);
        Recovery recovery;
        Duration time;
        if (fault.isLasting()) {
            recovery = Recovery.begin(cluster);
            try {
                time = recovery.await();
            } finally {
                repair.run();
            }
        } else {
            repair.run();
            recovery = Recovery.begin(cluster);
            time = recovery.await();
        }
        recovery.awaitFlow();
        return time;
    }

    /** Publishes no more, lets the queue run empty, and takes the last look. */
    void finish() {
        cluster.awaitReady();
        cluster.producer().close();
        try {
            Recovery.awaitEmpty(cluster);
        } catch (NotRecoveredException ex) {
            violated("the queue runs empty: " + ex.getMessage());
        }
        Invariants.violations(cluster).forEach(violation -> violated(violation + " [at the end]"));
        out.println(report.print(cluster, faults, violations.size()));
    }

    Set<String> violations() {
        return Set.copyOf(violations);
    }

    private void violated(String violation) {
        String known = violation.replaceAll(" \\[(after|at) .*]$", "");
        if (violations.isEmpty()) {
            Outputs.tails(cluster).forEach(out::println);
        }
        if (violations.add(known) && violations.size() <= PRINTED) {
            out.println("VIOLATED: " + violation);
        }
    }

    private static String now() {
        return TIME.format(LocalTime.now(ZoneId.systemDefault()));
    }
}
