package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.measure.Server;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.Raw;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Lets the workers of a subject, or clients of bare JDBC, empty a backlog. */
final class Drain {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final int MOST_LOOKS = 5_000;

    private final Lab lab;
    private final Server server;

    Drain(Lab lab) {
        this.lab = lab;
        this.server = lab.server();
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
    record Drained(double rate, double others, double wal, double commits, Profile profile) {}

    Drained once(Subject subject, Workers setup, int jobs) throws Exception {
        return once(subject, setup, Sink.expect(jobs), jobs);
    }

    /** Drains a backlog with handlers that end in the given sink. */
    Drained once(Subject subject, Workers setup, Sink sink, int jobs) throws Exception {
        subject.clear();
        subject.publishAll(0, jobs);
        return published(subject, setup, sink, jobs);
    }

    /** Drains jobs that are published already. */
    Drained published(Subject subject, Workers setup, Sink sink, int jobs) throws Exception {
        server.tidy(subject.database());
        return drain(subject, setup, sink, jobs);
    }

    /** While a transaction holds a snapshot from before the first job was claimed. */
    Drained underSnapshot(Subject subject, Workers setup, Sink sink, int jobs) throws Exception {
        subject.clear();
        subject.publishAll(0, jobs);
        server.tidy(subject.database());
        Connection old = server.holdSnapshot(subject.database());
        try {
            return drain(subject, setup, sink, jobs);
        } finally {
            old.close();
        }
    }

    /** The same backlog, by bare JDBC; the clock runs from when all clients are connected. */
    Drained raw(int jobs, int clients, Raw.Opener opener) throws Exception {
        lab.raw().clear();
        lab.raw().fill(jobs);
        Host.Watch watch = lab.host().watch();
        long wal = server.wal();
        long commits = server.commits(Raw.DATABASE);
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            Profiler profiler = Profiler.start(server);
            double rate = lab.raw().drain(jobs, clients, opener, threads);
            Profile profile = profiler.stop(jobs);
            return new Drained(
                    rate,
                    watch.foreign(),
                    (double) (server.wal() - wal) / jobs,
                    (double) (server.commits(Raw.DATABASE) - commits) / jobs,
                    profile);
        } finally {
            threads.shutdown();
            server.tidy(Raw.DATABASE);
        }
    }

    private Drained drain(Subject subject, Workers setup, Sink sink, int jobs) throws Exception {
        Host.Watch watch = lab.host().watch();
        long wal = server.wal();
        long commits = server.commits(subject.database());
        subject.start(setup);
        try {
            sink.awaitFirst(PATIENCE);
            int before = sink.seen();
            Profiler profiler = Profiler.start(server);
            double seconds = (awaitEnd(subject, sink, jobs) - sink.first()) / 1e9;
            Profile profile = profiler.stop(jobs - before);
            double others = watch.foreign();
            double walPerJob = (double) (server.wal() - wal) / jobs;
            // backends report their commits about a second late, and at the latest when they end
            subject.stop();
            double commitsPerJob = (double) (server.commits(subject.database()) - commits) / jobs;
            return new Drained(sink.seen() / seconds, others, walPerJob, commitsPerJob, profile);
        } finally {
            subject.stop();
            server.tidy(subject.database());
        }
    }

    /** When the database was seen without an unfinished job, or right before that was asked. */
    long awaitEnd(Subject subject, Sink sink, int jobs) throws Exception {
        if (!sink.await(PATIENCE)) {
            lab.results().note("%s handled only %d of %d jobs".formatted(subject.name(), sink.seen(), jobs));
            return System.nanoTime();
        }
        long looked = System.nanoTime();
        for (int i = 0; i < MOST_LOOKS && !subject.mayBeFinished(jobs); i++) {
            Thread.sleep(1);
            looked = System.nanoTime();
        }
        while (subject.unfinished() > 0) {
            Thread.sleep(2);
            looked = System.nanoTime();
        }
        if (sink.repeated() > 0) {
            lab.results().note("%s handled %d jobs more than once".formatted(subject.name(), sink.repeated()));
        }
        return looked;
    }
}
