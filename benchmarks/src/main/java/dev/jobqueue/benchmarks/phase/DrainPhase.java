package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.Raw;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;

/** A backlog of no-op jobs, emptied by 16 slots: our queue, the peers, and the raw shapes. */
public final class DrainPhase implements Phase {

    public static final String RATE = "drain, no-op, 16 slots";
    public static final List<String> RAW =
            List.of("bare JDBC, 1 client", "bare JDBC, 2 clients", "bare JDBC, 4 clients");
    public static final List<String> DB_SCHEDULER = List.of("db-scheduler, 16 threads", "db-scheduler, 64 threads");
    public static final List<String> JOBRUNR = List.of("JobRunr, 16 workers", "JobRunr, 64 workers");

    private static final String WAL = "WAL per drained job";
    private static final int JOBS = 200_000;
    private static final int LIMIT = 500;

    private final Lab lab;
    private final Drain drain;

    public DrainPhase(Lab lab) {
        this.lab = lab;
        this.drain = new Drain(lab);
    }

    @Override
    public void round(int number) throws Exception {
        queue(number, lab.queue(), Lab.KEPT);
        raw(number, RAW.get(0), 1, connection -> Raw.drain(connection, LIMIT));
        queue(number, lab.withoutHistory(), Lab.NOT_KEPT);
        raw(number, RAW.get(1), 2, connection -> Raw.drain(connection, LIMIT));
        raw(number, RAW.get(2), 4, connection -> Raw.drain(connection, LIMIT));
        raw(number, "bare JDBC to history, 2 clients", 2, connection -> Raw.drainToHistory(connection, LIMIT));
        peer(number, lab.dbScheduler(), DB_SCHEDULER.get(0), 16, Duration.ofMillis(100), 30_000);
        peer(number, lab.dbScheduler(), DB_SCHEDULER.get(1), 64, Duration.ofMillis(100), 30_000);
        peer(number, lab.jobRunr(), JOBRUNR.get(0), 16, Duration.ofSeconds(5), 10_000);
        peer(number, lab.jobRunr(), JOBRUNR.get(1), 64, Duration.ofSeconds(5), 10_000);
        peer(number, lab.quartz(), "Quartz, 16 threads", 16, Duration.ofSeconds(1), 1_500);
    }

    private void queue(int round, Subject subject, String name) throws Exception {
        report(round, name, drain.once(subject, Workers.of(16), lab.scaled(JOBS)));
    }

    private void peer(int round, Subject subject, String name, int threads, Duration poll, int jobs) throws Exception {
        report(round, name, drain.once(subject, Workers.of(threads).poll(poll), lab.scaled(jobs)));
    }

    private void raw(int round, String name, int clients, Raw.Opener opener) throws Exception {
        int rows = lab.scaled(JOBS);
        lab.raw().clear();
        lab.raw().fill(rows);
        Host.Watch watch = lab.host().watch();
        long wal = lab.server().wal();
        Profiler profiler = Profiler.start(lab.server());
        double rate = lab.raw().drain(rows, clients, opener);
        Profile profile = profiler.stop(rows);
        lab.results().add(round, RATE, name, rate, "jobs/s", watch.foreign());
        lab.results().add(round, WAL, name, (double) (lab.server().wal() - wal) / rows, "bytes", 0);
        report(round, name, profile);
    }

    private void report(int round, String name, Drained drained) {
        lab.results().add(round, RATE, name, drained.rate(), "jobs/s", drained.others());
        lab.results().add(round, WAL, name, drained.wal(), "bytes", 0);
        lab.results().add(round, "commits per drained job", name, drained.commits(), "", 0);
        report(round, name, drained.profile());
    }

    private void report(int round, String name, Profile profile) {
        lab.results().tell(profile.text());
        lab.results().add(round, "memory allocated per drained job", name, profile.allocated(), "bytes", 0);
        lab.results().add(round, "server CPU per drained job", name, profile.serverMicros(), "us", 0);
        lab.results().add(round, "client CPU per drained job", name, profile.clientMicros(), "us", 0);
        if (!Double.isNaN(profile.claimBatch())) {
            lab.results().add(round, "jobs per claim", name, profile.claimBatch(), "", 0);
            lab.results().add(round, "jobs per settlement", name, profile.settleBatch(), "", 0);
        }
    }
}
