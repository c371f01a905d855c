package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.sql.Connection;
import java.time.Duration;

/** Lets the workers of a subject empty a backlog. */
final class Drain {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Lab lab;

    Drain(Lab lab) {
        this.lab = lab;
    }

    /**
     * What it took.
     *
     * @param rate jobs per second, from the first handler until the database knows of no unfinished job
     * @param others the share of the processors that other programs took
     * @param wal bytes of WAL per job
     * @param commits commits per job
     * @param profile from the first handler on: what starting the workers costs does not count
     */
    record Drained(double rate, double others, double wal, double commits, Profile profile, Sink sink) {}

    Drained once(Subject subject, Workers setup, int jobs) throws Exception {
        return once(subject, setup, jobs, Duration.ZERO);
    }

    /** The same with handlers that take their time. */
    Drained once(Subject subject, Workers setup, int jobs, Duration work) throws Exception {
        prepare(subject, jobs);
        return drain(subject, setup, jobs, work);
    }

    /** While a transaction holds a snapshot from before the first job was claimed. */
    Drained underSnapshot(Subject subject, Workers setup, int jobs) throws Exception {
        prepare(subject, jobs);
        Connection old = lab.server().holdSnapshot(subject.database());
        try {
            return drain(subject, setup, jobs, Duration.ZERO);
        } finally {
            old.close();
        }
    }

    private void prepare(Subject subject, int jobs) throws Exception {
        subject.clear();
        subject.publishAll(0, jobs);
        lab.server().tidy(subject.database());
    }

    private Drained drain(Subject subject, Workers setup, int jobs, Duration work) throws Exception {
        Host.Watch watch = lab.host().watch();
        Sink sink = Sink.expect(jobs, work);
        long wal = lab.server().wal();
        long commits = lab.server().commits(subject.database());
        subject.start(setup);
        try {
            sink.awaitFirst(PATIENCE);
            int before = sink.seen();
            Profiler profiler = Profiler.start(lab.server());
            awaitEnd(subject, sink, jobs);
            double seconds = (System.nanoTime() - sink.first()) / 1e9;
            Profile profile = profiler.stop(jobs - before);
            double others = watch.foreign();
            double walPerJob = (double) (lab.server().wal() - wal) / jobs;
            // backends report their commits about a second late, and at the latest when they end
            subject.stop();
            double commitsPerJob = (double) (lab.server().commits(subject.database()) - commits) / jobs;
            return new Drained(jobs / seconds, others, walPerJob, commitsPerJob, profile, sink);
        } finally {
            subject.stop();
        }
    }

    private void awaitEnd(Subject subject, Sink sink, int jobs) throws Exception {
        if (!sink.await(PATIENCE)) {
            lab.results().note("%s handled only %d of %d jobs".formatted(subject.name(), sink.seen(), jobs));
            return;
        }
        while (subject.unfinished() > 0) {
            Thread.sleep(2);
        }
        if (sink.repeated() > 0) {
            lab.results().note("%s handled %d jobs more than once".formatted(subject.name(), sink.repeated()));
        }
    }
}
