package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Backend;
import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.QueueSubject.Change;
import dev.jobqueue.benchmarks.subject.SqlWorker;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;

/** Jobs with limits beside jobs without: many keys, few keys, full lanes, and a rate over several nodes. */
public final class LanesPhase implements Phase {

    public static final String RATE = "drain with limits, no-op, 16 slots";
    public static final String RATE_1_MS = "drain with limits, 1 ms handlers, 64 slots";
    public static final String EMPTY_LOOK = "server time, claim that finds nothing";
    public static final String STARTED = "started in 10 s at 1,000/s, 4 nodes";

    public static final String NONE = "queue, no limits";
    public static final String MANY_KEYS = "queue, 100,000 keys, 1 each";
    public static final String FEW_KEYS = "queue, 100 keys, 4 each";
    public static final String FULL = "queue, 100,000 full lanes";
    public static final String PACED = "queue, rate 1,000/s, burst 100";

    private static final int KEYS = 100_000;
    private static final int LOOKS = 200;
    private static final Duration WORK = Duration.ofMillis(1);
    private static final Duration PACED_FOR = Duration.ofSeconds(10);

    private final Lab lab;
    private final Drain drain;
    private final QueueSubject queue;

    public LanesPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.drain = new Drain(lab);
        this.queue = lab.create(new QueueSubject(NONE, "queue_lanes", lab.server()));
        lab.server()
                .execute(
                        queue.database(),
                        "SELECT queue.set_limit('one', running => 1), queue.set_limit('four', running => 4),"
                                + " queue.set_limit('paced', rate => 1000, burst => 100)");
    }

    @Override
    public void round(int number) throws Exception {
        int jobs = lab.scaled(KEYS);
        Change manyKeys = (id, job) -> job.limit("one", "key-" + id % KEYS);
        Change fewKeys = (id, job) -> job.limit("four", "key-" + id % 100);
        for (int pass : lab.passes(number, 2)) {
            List<Runner> runners = List.of(
                    () -> drain(pass, RATE, NONE, Workers.of(16), Sink.expect(jobs), jobs, (id, job) -> job),
                    () -> drain(pass, RATE, MANY_KEYS, Workers.of(16), Sink.expect(jobs), jobs, manyKeys));
            // each goes first as often as the other
            runners.get(pass % 2).run();
            runners.get(1 - pass % 2).run();
        }
        drain(number, RATE_1_MS, NONE, Workers.of(64), Sink.expect(jobs, WORK), jobs, (id, job) -> job);
        drain(number, RATE_1_MS, FEW_KEYS, Workers.of(64), Sink.expect(jobs, WORK), jobs, fewKeys);
        emptyLook(number, jobs);
        paced(number);
    }

    private void drain(int round, String metric, String name, Workers setup, Sink sink, int jobs, Change change)
            throws Exception {
        queue.clear();
        queue.publishAll(0, jobs, change);
        Drained drained = drain.published(queue, setup, sink, jobs);
        lab.results().add(round, metric, name, drained.rate(), "jobs/s", drained.others());
        lab.results().tell(drained.profile().text());
    }

    /** Two jobs of each key, of which one runs. */
    private void emptyLook(int round, int keys) throws Exception {
        queue.clear();
        for (int copy = 0; copy < 2; copy++) {
            queue.publishAll(0, keys, (id, job) -> job.limit("one", "key-" + id));
        }
        try (SqlWorker worker = new SqlWorker(lab.server().connect(queue.database()))) {
            while (worker.claim(500) > 0) {
                // until every lane is full
            }
            lab.server().tidy(queue.database());
            for (int i = 0; i < 20; i++) {
                worker.claim(10);
            }
            Backend backend = Backend.of(worker.connection());
            Host.Watch watch = lab.host().watch();
            double before = backend.micros();
            for (int i = 0; i < LOOKS; i++) {
                worker.claim(10);
            }
            double millis = (backend.micros() - before) / LOOKS / 1_000;
            lab.results().add(round, EMPTY_LOOK, FULL, millis, "ms", watch.foreign());
        } finally {
            queue.clear();
        }
    }

    private void paced(int round) throws Exception {
        int jobs = 20_000;
        queue.clear();
        queue.publishAll(0, jobs, (id, job) -> job.limit("paced", ""));
        Sink sink = Sink.expect(jobs);
        Host.Watch watch = lab.host().watch();
        queue.start(Workers.of(16), 4);
        try {
            sink.awaitFirst(Duration.ofMinutes(1));
            long end = sink.first() + PACED_FOR.toNanos();
            while (System.nanoTime() < end) {
                Thread.sleep(1);
            }
            lab.results().add(round, STARTED, PACED, sink.seen(), "jobs", watch.foreign());
        } finally {
            queue.stop();
            queue.clear();
        }
    }

    private interface Runner {
        void run() throws Exception;
    }
}
