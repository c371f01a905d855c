package dev.jobqueue.benchmarks;

import dev.jobqueue.benchmarks.measure.Bar;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.measure.Spread;
import dev.jobqueue.benchmarks.phase.CallsPhase;
import dev.jobqueue.benchmarks.phase.DrainPhase;
import dev.jobqueue.benchmarks.phase.FlowsPhase;
import dev.jobqueue.benchmarks.phase.GrowthPhase;
import dev.jobqueue.benchmarks.phase.IdlePhase;
import dev.jobqueue.benchmarks.phase.Lab;
import dev.jobqueue.benchmarks.phase.LanesPhase;
import dev.jobqueue.benchmarks.phase.NodesPhase;
import dev.jobqueue.benchmarks.phase.PickupPhase;
import dev.jobqueue.benchmarks.phase.PublishPhase;
import dev.jobqueue.benchmarks.phase.QueuesPhase;
import dev.jobqueue.benchmarks.phase.SchedulesPhase;
import dev.jobqueue.benchmarks.phase.SnapshotPhase;
import dev.jobqueue.benchmarks.phase.TricklePhase;
import dev.jobqueue.benchmarks.phase.WakeUpPhase;
import java.util.ArrayList;
import java.util.List;

/** What the queue promises to reach, and whether it did. */
final class Bars {

    private final Results results;
    private final List<Bar> bars = new ArrayList<>();

    private Bars(Results results) {
        this.results = results;
    }

    static List<Bar> of(Results results) {
        Bars bars = new Bars(results);
        bars.draining();
        bars.trickling();
        bars.calling();
        bars.publishing();
        bars.waiting();
        bars.lasting();
        bars.limiting();
        bars.following();
        return bars.bars;
    }

    private void draining() {
        Spread toDbScheduler = results.ratioToBest(DrainPhase.RATE, Lab.KEPT, DrainPhase.DB_SCHEDULER);
        Spread oneKilobyte = results.ratioToBest(DrainPhase.RATE_1_KB, Lab.KEPT, DrainPhase.DB_SCHEDULER);
        Spread toJobRunr = results.ratioToBest(DrainPhase.RATE, Lab.KEPT, DrainPhase.JOBRUNR);
        Spread toRaw = results.ratioToBest(DrainPhase.RATE, Lab.NOT_KEPT, DrainPhase.RAW);
        atLeast("drain, no-op, 16 slots, history kept / best db-scheduler", "x", toDbScheduler, 10);
        atLeast("drain, the same with 1 kB payloads / best db-scheduler", "x", oneKilobyte, 10);
        atLeast("drain, no-op, 16 slots, history kept / best JobRunr", "x", toJobRunr, 10);
        atLeast("drain, no-op, 16 slots, history not kept / bare JDBC (best of 1, 2, 4 clients)", "", toRaw, 1);
        atMost("WAL of a drained job, history kept", "bytes", results.cost(Lab.KEPT, DrainPhase.WAL), 950);
    }

    private void trickling() {
        trickle(200, 0.8);
        trickle(20, 1);
    }

    private void trickle(int rate, double limit) {
        Spread ratio = results.ratio(TricklePhase.server(rate), TricklePhase.SAME_JVM, TricklePhase.IMMEDIATE);
        atMost("trickle, %d jobs/s, same JVM, server time / db-scheduler, immediate".formatted(rate), "", ratio, limit);
    }

    private void calling() {
        call("server time of one backend, publish one", CallsPhase.PUBLISH_ONE, 160);
        call("server time of one backend, claim and complete one, history kept", CallsPhase.ONE, 320);
        call("server time of one backend, the same in batches of 500", CallsPhase.BATCH, 10);
    }

    private void call(String what, String metric, double limit) {
        atMost(what, "us", results.of(metric, Lab.KEPT), limit);
    }

    private void publishing() {
        publish("publish one per transaction, 1 thread / bare insert", PublishPhase.ONE.formatted(1), "", 0.8);
        publish(
                "publish in the caller's transaction, 1 thread / bare insert and commit",
                PublishPhase.OWN.formatted(1),
                "",
                0.8);
        publish(
                "publish outside a transaction, 16 threads / bare one-row inserts of 16 connections",
                PublishPhase.ONE.formatted(16),
                "x",
                2);
        Spread bulk = results.ratio(PublishPhase.BULK, PublishPhase.QUEUE, PublishPhase.UNNEST);
        atLeast("publish 1,000 per call / bare unnest", "", bulk, 0.5);
    }

    private void publish(String what, String metric, String unit, double limit) {
        atLeast(what, unit, results.ratio(metric, PublishPhase.QUEUE, PublishPhase.BARE), limit);
    }

    private void waiting() {
        millis("pickup, same JVM, p50", PickupPhase.P50, PickupPhase.SAME_JVM, 0.3);
        millis("pickup, same JVM, p99", PickupPhase.P99, PickupPhase.SAME_JVM, 1.5);
        millis("pickup, other JVM, p50", PickupPhase.P50, PickupPhase.OTHER_JVM, 2);
        millis("pickup, other JVM, p99", PickupPhase.P99, PickupPhase.OTHER_JVM, 6);
        millis("schedule, from the time it is due, p50", SchedulesPhase.P50, SchedulesPhase.QUEUE, 100);
        atMost("idle node", "statements/s", results.of(IdlePhase.STATEMENTS, IdlePhase.QUEUE), 0.5);
    }

    private void lasting() {
        for (String rows : List.of(GrowthPhase.HISTORY, GrowthPhase.PENDING, GrowthPhase.SCHEDULED)) {
            Spread share = results.ratio(GrowthPhase.RATE, rows, GrowthPhase.CLEAN);
            atLeast("drain, " + rows.replace("queue, ", "") + " / nothing else", "", share, 0.9);
        }
        Spread snapshot = results.of(SnapshotPhase.SHARE, Lab.KEPT);
        Spread woken = results.ratio(WakeUpPhase.RATE, WakeUpPhase.WOKEN, WakeUpPhase.POLLING);
        Spread nodes = results.ratio(NodesPhase.RATE, NodesPhase.FOUR, NodesPhase.ONE);
        atLeast("snapshot held open, last fifth / first fifth", "", snapshot, 0.9);
        atLeast("publish, 16 threads, consumer woken / consumer polls", "", woken, 0.9);
        atLeast("drain, 4 nodes / 1 node", "", nodes, 1);
        Spread queues = results.ratio(QueuesPhase.RATE, QueuesPhase.THOUSAND, QueuesPhase.ONE);
        atLeast("drain, 1,000 queues / 1 queue", "", queues, 0.8);
    }

    private void limiting() {
        Spread manyKeys = results.ratio(LanesPhase.RATE, LanesPhase.MANY_KEYS, LanesPhase.NONE);
        Spread fewKeys = results.ratio(LanesPhase.RATE_1_MS, LanesPhase.FEW_KEYS, LanesPhase.NONE);
        Spread started = results.of(LanesPhase.STARTED, LanesPhase.PACED);
        atLeast("drain, 100,000 keys, limit 1 each / without limits", "", manyKeys, 0.5);
        atLeast("drain, 100 keys, limit 4 each, 1 ms handlers, 64 slots / without limits", "", fewKeys, 0.7);
        millis("claim that finds nothing beside 100,000 full lanes", LanesPhase.EMPTY_LOOK, LanesPhase.FULL, 2);
        atLeast("started in 10 s at a rate of 1,000/s, 4 nodes", "jobs", started, 9_900);
        atMost("the same, with a burst of 100", "jobs", started, 10_100);
    }

    private void following() {
        Spread batch = results.ratio(FlowsPhase.BATCH_RATE, FlowsPhase.BATCH, FlowsPhase.NONE);
        Spread flows = results.ratio(FlowsPhase.FLOW_RATE, FlowsPhase.DIAMONDS, FlowsPhase.NONE);
        atLeast("drain, 200,000 members of a batch / without a batch", "", batch, 0.6);
        atLeast("drain, 10,000 flows of 5 steps / 50,000 jobs", "", flows, 0.4);
        millis("chain of 10,000 steps, from one to the next, p50", FlowsPhase.STEP, FlowsPhase.CHAIN, 2);
    }

    private void millis(String what, String metric, String subject, double limit) {
        atMost(what, "ms", results.of(metric, subject), limit);
    }

    private void atLeast(String what, String unit, Spread value, double limit) {
        bars.add(Bar.atLeast(what, unit, value, limit));
    }

    private void atMost(String what, String unit, Spread value, double limit) {
        bars.add(Bar.atMost(what, unit, value, limit));
    }
}
