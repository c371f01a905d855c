package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/** Jobs of a batch, of many small flows and of a long chain, beside jobs that belong to nothing. */
public final class FlowsPhase implements Phase {

    public static final String BATCH_RATE = "drain of a batch, no-op, 16 slots";
    public static final String FLOW_RATE = "drain of flows, no-op, 16 slots";
    public static final String STEP = "chain, from one step to the next, p50";

    public static final String NONE = "queue, no flows";
    public static final String BATCH = "queue, one batch";
    public static final String DIAMONDS = "queue, flows of 5 steps";
    public static final String CHAIN = "queue, same JVM";

    private static final int MEMBERS = 200_000;
    private static final int FLOWS = 10_000;
    private static final int STEPS = 10_000;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Lab lab;
    private final Drain drain;
    private final QueueSubject queue;

    public FlowsPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.drain = new Drain(lab);
        this.queue = lab.create(new QueueSubject(NONE, "queue_flows", lab.server()));
    }

    @Override
    public void round(int number) throws Exception {
        int members = lab.scaled(MEMBERS);
        int flows = lab.scaled(FLOWS);
        for (int pass : lab.passes(number, 2)) {
            List<Runner> runners = List.of(
                    () -> drain(pass, BATCH_RATE, NONE, members, () -> queue.publishAll(0, members)),
                    () -> drain(pass, BATCH_RATE, BATCH, members, () -> queue.publishBatch(members)),
                    () -> drain(pass, FLOW_RATE, NONE, 5 * flows, () -> queue.publishAll(0, 5 * flows)),
                    () -> drain(pass, FLOW_RATE, DIAMONDS, 5 * flows, () -> queue.publishDiamonds(flows)));
            // each goes first as often as the other
            for (int i = 0; i < runners.size(); i += 2) {
                runners.get(i + pass % 2).run();
                runners.get(i + 1 - pass % 2).run();
            }
        }
        chain(number, lab.scaled(STEPS));
    }

    private void drain(int round, String metric, String name, int jobs, Runner publishing) throws Exception {
        queue.clear();
        publishing.run();
        Drained drained = drain.published(queue, Workers.of(16), Sink.expect(jobs), jobs);
        lab.results().add(round, metric, name, drained.rate(), "jobs/s", drained.others());
        lab.results().tell(drained.profile().text());
    }

    /** The handlers do nothing, so that a step ends where it begins. */
    private void chain(int round, int steps) throws Exception {
        queue.clear();
        queue.publishChain(steps);
        Sink sink = Sink.expect(steps);
        Host.Watch watch = lab.host().watch();
        queue.start(Workers.of(16));
        try {
            if (!sink.await(PATIENCE)) {
                lab.results().note("the chain came to step %d of %d".formatted(sink.seen(), steps));
                return;
            }
            // what comes first pays for code that is not compiled yet
            long[] nanos = LongStream.range(steps / 10, steps)
                    .map(i -> sink.begunAt((int) i) - sink.begunAt((int) i - 1))
                    .sorted()
                    .toArray();
            lab.results().add(round, STEP, CHAIN, nanos[nanos.length / 2] / 1e6, "ms", watch.foreign());
        } finally {
            queue.stop();
            queue.clear();
        }
    }

    private interface Runner {
        void run() throws Exception;
    }
}
