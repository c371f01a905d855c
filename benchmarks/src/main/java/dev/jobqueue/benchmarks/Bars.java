package dev.jobqueue.benchmarks;

import dev.jobqueue.benchmarks.measure.Bar;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.measure.Spread;
import dev.jobqueue.benchmarks.phase.DrainPhase;
import dev.jobqueue.benchmarks.phase.GrowthPhase;
import dev.jobqueue.benchmarks.phase.IdlePhase;
import dev.jobqueue.benchmarks.phase.Lab;
import dev.jobqueue.benchmarks.phase.NodesPhase;
import dev.jobqueue.benchmarks.phase.PickupPhase;
import dev.jobqueue.benchmarks.phase.PublishPhase;
import dev.jobqueue.benchmarks.phase.SchedulesPhase;
import dev.jobqueue.benchmarks.phase.SnapshotPhase;
import dev.jobqueue.benchmarks.phase.WakeUpPhase;
import java.util.ArrayList;
import java.util.List;

/** What the queue promises to reach, and whether it did. */
final class Bars {

    private static final double NOTHING = Double.NaN;

    private final Results results;
    private final List<Bar> bars = new ArrayList<>();

    private Bars(Results results) {
        this.results = results;
    }

    static List<Bar> of(Results results) {
        Bars bars = new Bars(results);
        bars.draining();
        bars.publishing();
        bars.waiting();
        bars.lasting();
        return bars.bars;
    }

    private void draining() {
        Spread toDbScheduler = results.ratioToBest(DrainPhase.RATE, Lab.KEPT, DrainPhase.DB_SCHEDULER);
        Spread toJobRunr = results.ratioToBest(DrainPhase.RATE, Lab.KEPT, DrainPhase.JOBRUNR);
        Spread toRaw = results.ratioToBest(DrainPhase.RATE, Lab.NOT_KEPT, DrainPhase.RAW);
        bars.add(Bar.atLeast("drain, no-op, 16 slots, history kept / best db-scheduler", "x", toDbScheduler, 5, 10));
        bars.add(Bar.atLeast("drain, no-op, 16 slots, history kept / best JobRunr", "x", toJobRunr, 10, NOTHING));
        bars.add(Bar.atLeast(
                "drain, no-op, 16 slots, history not kept / bare JDBC (best of 1, 2, 4 clients)", "", toRaw, 0.6, 1));
    }

    private void publishing() {
        Spread one = results.ratio(PublishPhase.ONE.formatted(1), PublishPhase.QUEUE, PublishPhase.BARE);
        Spread sixteen = results.ratio(PublishPhase.ONE.formatted(16), PublishPhase.QUEUE, PublishPhase.BARE);
        Spread bulk = results.ratio(PublishPhase.BULK, PublishPhase.QUEUE, PublishPhase.UNNEST);
        double copy = results.ratio(PublishPhase.BULK, PublishPhase.COPY, PublishPhase.UNNEST)
                .median();
        bars.add(Bar.atLeast("publish one per transaction, 1 thread / bare insert", "", one, 0.85, NOTHING));
        bars.add(Bar.atLeast(
                "publish outside a transaction, 16 threads / bare one-row inserts of 16 connections",
                "x",
                sixteen,
                2,
                4));
        bars.add(Bar.atLeast("publish 1,000 per call / bare unnest (beyond: COPY)", "", bulk, 0.7, copy));
    }

    private void waiting() {
        pickup("pickup, same JVM, p50", PickupPhase.P50, PickupPhase.SAME_JVM, 2, 1);
        pickup("pickup, same JVM, p99", PickupPhase.P99, PickupPhase.SAME_JVM, 10, NOTHING);
        pickup("pickup, other JVM, p50", PickupPhase.P50, PickupPhase.OTHER_JVM, 5, NOTHING);
        pickup("pickup, other JVM, p99", PickupPhase.P99, PickupPhase.OTHER_JVM, 20, NOTHING);
        pickup("schedule, from the time it is due, p50", SchedulesPhase.P50, SchedulesPhase.QUEUE, 100, NOTHING);
        Spread idle = results.of(IdlePhase.STATEMENTS, IdlePhase.QUEUE);
        bars.add(Bar.atMost("idle node", "statements/s", idle, 1, 0.3));
    }

    private void lasting() {
        for (String rows : List.of(GrowthPhase.HISTORY, GrowthPhase.PENDING, GrowthPhase.SCHEDULED)) {
            Spread share = results.ratio(GrowthPhase.RATE, rows, GrowthPhase.CLEAN);
            bars.add(Bar.atLeast("drain, " + rows.replace("queue, ", "") + " / nothing else", "", share, 0.9, 0.95));
        }
        Spread snapshot = results.of(SnapshotPhase.SHARE, Lab.KEPT);
        Spread woken = results.ratio(WakeUpPhase.RATE, WakeUpPhase.WOKEN, WakeUpPhase.POLLING);
        Spread nodes = results.ratio(NodesPhase.RATE, NodesPhase.FOUR, NodesPhase.ONE);
        bars.add(Bar.atLeast("snapshot held open, last fifth / first fifth", "", snapshot, 0.8, 0.95));
        bars.add(Bar.atLeast("publish, 16 threads, consumer woken / consumer polls", "", woken, 0.9, NOTHING));
        bars.add(Bar.atLeast("drain, 4 nodes / 1 node", "", nodes, 1, NOTHING));
    }

    private void pickup(String what, String metric, String subject, double limit, double beyond) {
        bars.add(Bar.atMost(what, "ms", results.of(metric, subject), limit, beyond));
    }
}
