package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.Raw;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A backlog of no-op jobs, emptied by 16 slots: our queue, the peers, and the raw shapes. */
public final class DrainPhase implements Phase {

    public static final String RATE = "drain, no-op, 16 slots";
    public static final List<String> RAW =
            List.of("bare JDBC, 1 client", "bare JDBC, 2 clients", "bare JDBC, 4 clients");
    public static final List<String> DB_SCHEDULER = List.of("db-scheduler, 16 threads", "db-scheduler, 64 threads");
    public static final List<String> JOBRUNR = List.of("JobRunr, 16 workers", "JobRunr, 64 workers");

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
        peer(number, lab.dbScheduler(), DB_SCHEDULER.get(0), 16, Duration.ofMillis(100), 30_000);
        peer(number, lab.dbScheduler(), DB_SCHEDULER.get(1), 64, Duration.ofMillis(100), 30_000);
        peer(number, lab.jobRunr(), JOBRUNR.get(0), 16, Duration.ofSeconds(5), 8_000);
        peer(number, lab.jobRunr(), JOBRUNR.get(1), 64, Duration.ofSeconds(5), 8_000);
        if (number == 1) {
            raw(number, "bare JDBC to history, 2 clients", 2, connection -> Raw.drainToHistory(connection, LIMIT));
            peer(number, lab.quartz(), "Quartz, 16 threads", 16, Duration.ofSeconds(1), 1_500);
        }
    }

    private void queue(int round, Subject subject, String name) throws Exception {
        report(round, name, drain.once(subject, Workers.of(16), lab.backlog()));
    }

    private void raw(int round, String name, int clients, Raw.Opener opener) throws Exception {
        report(round, name, drain.raw(lab.backlog(), clients, opener));
    }

    private void peer(int round, Subject subject, String name, int threads, Duration poll, int jobs) throws Exception {
        report(round, name, drain.once(subject, Workers.of(threads).poll(poll), lab.scaled(jobs)));
    }

    private void report(int round, String name, Drained drained) {
        lab.results().add(round, RATE, name, drained.rate(), "jobs/s", drained.others());
        lab.results().tell(drained.profile().text());
        Map<String, Double> costs = new LinkedHashMap<>();
        costs.put("WAL, bytes", drained.wal());
        costs.put("commits", drained.commits());
        costs.putAll(drained.profile().costs());
        lab.results().addCosts(round, name, costs);
    }
}
