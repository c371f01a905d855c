package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;

/** How draining changes with the slots, with what the handlers do, and with the kind of threads. */
public final class SlotsPhase implements Phase {

    private static final List<Integer> SLOTS = List.of(1, 4, 16, 64);
    private static final Duration WORK = Duration.ofMillis(1);
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    private final Lab lab;
    private final Drain drain;
    private final QueueSubject virtual;

    public SlotsPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.drain = new Drain(lab);
        this.virtual = lab.create(new QueueSubject("queue, virtual threads", "queue_virtual", lab.server())
                .with("spring.threads.virtual.enabled", "true"));
    }

    @Override
    public void round(int number) throws Exception {
        boolean virtualThreads = Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS;
        if (!virtualThreads && number == 1) {
            lab.results().note("Virtual threads need Java 21: not measured");
        }
        for (int slots : SLOTS) {
            report(number, lab.queue(), slots, Duration.ZERO, 200_000);
            report(number, lab.withoutHistory(), slots, Duration.ZERO, 200_000);
            report(number, lab.queue(), slots, WORK, 3_000 * slots);
            if (virtualThreads) {
                report(number, virtual, slots, Duration.ZERO, 200_000);
                report(number, virtual, slots, WORK, 3_000 * slots);
            }
        }
        for (int threads : List.of(16, 64)) {
            Workers setup = Workers.of(threads).poll(Duration.ofMillis(100));
            report(number, lab.dbScheduler(), setup, WORK, 20_000);
        }
    }

    private void report(int round, Subject subject, int slots, Duration work, int jobs) throws Exception {
        report(round, subject, Workers.of(slots), work, jobs);
    }

    private void report(int round, Subject subject, Workers setup, Duration work, int jobs) throws Exception {
        Drained drained = drain.once(subject, setup, lab.scaled(jobs), work);
        String handlers = work.isZero() ? "no-op" : work.toMillis() + " ms";
        lab.results()
                .add(
                        round,
                        "drain by slots, " + handlers,
                        subject.name() + ", " + setup.slots() + " slots",
                        drained.rate(),
                        "jobs/s",
                        drained.others());
    }
}
