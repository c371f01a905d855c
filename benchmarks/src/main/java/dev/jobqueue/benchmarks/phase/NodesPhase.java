package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;

/** The same backlog for one, two and four nodes of 16 slots each, which begin together. */
public final class NodesPhase implements Phase {

    public static final String RATE = "drain by nodes, no-op, 16 slots each";
    public static final String ONE = "queue, 1 node";
    public static final String FOUR = "queue, 4 nodes";

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Lab lab;

    public NodesPhase(Lab lab) {
        this.lab = lab;
    }

    @Override
    public void round(int number) throws Exception {
        for (int nodes : number == 1 ? List.of(1, 2, 4) : List.of(1, 4)) {
            measure(number, nodes);
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
            sink.await(PATIENCE);
            long looked = System.nanoTime();
            while (queue.unfinished() > 0) {
                Thread.sleep(2);
                looked = System.nanoTime();
            }
            double rate = jobs * 1e9 / (looked - sink.first());
            String name = nodes == 1 ? ONE : "queue, " + nodes + " nodes";
            lab.results().add(round, RATE, name, rate, "jobs/s", watch.foreign());
        } finally {
            queue.stop();
            lab.server().execute(queue.database(), "SELECT queue.resume('default')");
        }
    }
}
