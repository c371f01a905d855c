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

    /** The drain with payloads of about 1 kB. */
    public static final String RATE_1_KB = RATE + ", 1 kB payloads";

    public static final String WAL = "WAL, bytes";

    private static final String RATE_8_KB = RATE + ", 8 kB payloads";
    private static final List<Integer> DB_SCHEDULER_THREADS = List.of(16, 64);
    private static final int LIMIT = 500;

    private final Lab lab;
    private final Drain drain;

    public DrainPhase(Lab lab) {
        this.lab = lab;
        this.drain = new Drain(lab);
    }

    @Override
    public void round(int number) throws Exception {
        report(number, RATE, Lab.KEPT, drain.once(lab.queue(), Workers.of(16), lab.backlog()));
        raw(number, RAW.get(0), 1, connection -> Raw.drain(connection, LIMIT));
        report(number, RATE, Lab.NOT_KEPT, drain.once(lab.withoutHistory(), Workers.of(16), lab.backlog()));
        raw(number, RAW.get(1), 2, connection -> Raw.drain(connection, LIMIT));
        raw(number, RAW.get(2), 4, connection -> Raw.drain(connection, LIMIT));
        dbScheduler(number, RATE, 30_000);
        peer(number, lab.jobRunr(), JOBRUNR.get(0), Workers.of(16).poll(Duration.ofSeconds(5)), 8_000);
        peer(number, lab.jobRunr(), JOBRUNR.get(1), Workers.of(64).poll(Duration.ofSeconds(5)), 8_000);
        payloads(number, RATE_1_KB, 1_000, 100_000);
        if (number == 1) {
            payloads(number, RATE_8_KB, 8_000, 20_000);
            raw(number, "bare JDBC to history, 2 clients", 2, connection -> Raw.drainToHistory(connection, LIMIT));
            peer(number, lab.quartz(), "Quartz, 16 threads", Workers.of(16).poll(Duration.ofSeconds(1)), 1_500);
        }
    }

    /** Fewer jobs than of the small payload: the disk has less to write, and the tables stay in memory. */
    private void payloads(int round, String metric, int bytes, int jobs) throws Exception {
        List<Subject> subjects = List.of(lab.queue(), lab.withoutHistory(), lab.dbScheduler());
        subjects.forEach(each -> each.payloads(bytes));
        try {
            report(round, metric, Lab.KEPT, drain.once(lab.queue(), Workers.of(16), lab.scaled(jobs)));
            report(round, metric, Lab.NOT_KEPT, drain.once(lab.withoutHistory(), Workers.of(16), lab.scaled(jobs)));
            dbScheduler(round, metric, 20_000);
        } finally {
            subjects.forEach(each -> each.payloads(0));
        }
    }

    private void dbScheduler(int round, String metric, int jobs) throws Exception {
        for (int i = 0; i < DB_SCHEDULER.size(); i++) {
            Workers setup = Workers.of(DB_SCHEDULER_THREADS.get(i)).poll(Duration.ofMillis(100));
            report(round, metric, DB_SCHEDULER.get(i), drain.once(lab.dbScheduler(), setup, lab.scaled(jobs)));
        }
    }

    private void raw(int round, String name, int clients, Raw.Opener opener) throws Exception {
        report(round, RATE, name, drain.raw(lab.backlog(), clients, opener));
    }

    private void peer(int round, Subject subject, String name, Workers setup, int jobs) throws Exception {
        report(round, RATE, name, drain.once(subject, setup, lab.scaled(jobs)));
    }

    private void report(int round, String metric, String name, Drained drained) {
        lab.results().add(round, metric, name, drained.rate(), "jobs/s", drained.others());
        lab.results().tell(drained.profile().text());
        Map<String, Double> costs = new LinkedHashMap<>();
        costs.put(WAL, drained.wal());
        costs.put("commits", drained.commits());
        costs.putAll(drained.profile().costs());
        lab.results().addCosts(round, name + metric.substring(RATE.length()), costs);
    }
}
