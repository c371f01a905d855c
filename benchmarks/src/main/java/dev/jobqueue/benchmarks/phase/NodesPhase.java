package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.util.List;

/** The same backlog for one, two and four nodes of 16 slots each, which begin together. */
public final class NodesPhase implements Phase {

    public static final String RATE = "drain by nodes, no-op, 16 slots each";
    public static final String ONE = "queue, 1 node";
    public static final String FOUR = "queue, 4 nodes";

    private static final int PASSES = 3;

    private final Lab lab;
    private final Drain drain;

    public NodesPhase(Lab lab) {
        this.lab = lab;
        this.drain = new Drain(lab);
    }

    @Override
    public void round(int number) throws Exception {
        for (int pass : lab.passes(number, PASSES)) {
            // each goes first as often as the other: a machine that grows slower, or faster, favours neither
            for (int nodes : pass % 2 == 0 ? List.of(4, 1) : List.of(1, 4)) {
                measure(pass, nodes);
            }
        }
        if (number == 1) {
            measure(number, 2);
        }
    }

    private void measure(int round, int nodes) throws Exception {
        QueueSubject queue = lab.queue();
        int jobs = lab.backlog();
        queue.clear();
        queue.publishAll(0, jobs);
        lab.server().tidy(queue.database());
        lab.server().execute(queue.database(), "SELECT queue.pause('default')");
        Sink sink = Sink.expect(jobs);
        queue.start(Workers.of(16), nodes);
        try {
            Host.Watch watch = lab.host().watch();
            lab.server().execute(queue.database(), "SELECT queue.resume('default')");
            Profiler profiler = Profiler.start(lab.server());
            long ended = drain.awaitEnd(queue, sink, jobs);
            double rate = jobs * 1e9 / (ended - sink.first());
            String name = nodes == 1 ? ONE : "queue, " + nodes + " nodes";
            Profile profile = profiler.stop(jobs);
            lab.results().add(round, RATE, name, rate, "jobs/s", watch.foreign());
            lab.results().tell(profile.text());
        } finally {
            queue.stop();
            lab.server().execute(queue.database(), "SELECT queue.resume('default')");
            lab.server().tidy(queue.database());
        }
    }
}
