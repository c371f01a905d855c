package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;

/** Draining while somebody holds a snapshot open, so that no dead row can go: the first fifth against the last. */
public final class SnapshotPhase implements Phase {

    public static final String FIRST = "snapshot held open, first fifth";
    public static final String LAST = "snapshot held open, last fifth";
    public static final String SHARE = "snapshot held open, last fifth / first fifth";

    private static final int JOBS = 200_000;
    private static final int PASSES = 3;

    private final Lab lab;
    private final Drain drain;
    private final StandingBacklog backlog;

    public SnapshotPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.drain = new Drain(lab);
        this.backlog = new StandingBacklog(lab);
    }

    @Override
    public void round(int number) throws Exception {
        for (int pass : lab.passes(number, PASSES)) {
            measure(pass, Lab.KEPT, lab.queue(), Workers.of(16), JOBS);
        }
        if (number == 1) {
            measure(number, Lab.NOT_KEPT, lab.withoutHistory(), Workers.of(16), JOBS);
            Workers tuned = Workers.of(16).poll(Duration.ofMillis(100));
            measure(number, lab.dbScheduler().name(), lab.dbScheduler(), tuned, 50_000);
            backlog.measure(number);
        }
    }

    private void measure(int round, String name, Subject subject, Workers setup, int most) throws Exception {
        int jobs = lab.scaled(most);
        Sink sink = Sink.expect(jobs);
        Drained drained = drain.underSnapshot(subject, setup, sink, jobs);
        double first = sink.rate(0, 0.2);
        double last = sink.rate(0.8, 1);
        lab.results().add(round, FIRST, name, first, "jobs/s", drained.others());
        lab.results().add(round, LAST, name, last, "jobs/s", drained.others());
        lab.results().add(round, SHARE, name, last / first, "", drained.others());
        lab.results().tell(drained.profile().text());
    }
}
