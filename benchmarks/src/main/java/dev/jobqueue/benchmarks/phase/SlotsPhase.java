package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.phase.Drain.Drained;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;

/** How draining changes with the slots, with what the handlers do, and with the kind of threads. Once. */
public final class SlotsPhase implements Phase {

    private static final List<Integer> SLOTS = List.of(1, 4, 16, 64);
    private static final int JOBS = 150_000;
    private static final Duration WORK = Duration.ofMillis(1);
    private static final int FIRST_WITH_VIRTUAL_THREADS = 21;

    private final Lab lab;
    private final Drain drain;

    public SlotsPhase(Lab lab) {
        this.lab = lab;
        this.drain = new Drain(lab);
    }

    @Override
    public void round(int number) throws Exception {
        if (number > 1) {
            return;
        }
        for (int slots : SLOTS) {
            Workers setup = Workers.of(slots);
            String name = slots == 1 ? "1 slot" : slots + " slots";
            each(setup, name);
            if (Runtime.version().feature() >= FIRST_WITH_VIRTUAL_THREADS) {
                each(setup.onVirtualThreads(), name + ", virtual threads");
            } else {
                lab.results().note("Virtual threads need Java 21, this is " + Runtime.version() + ": not measured");
            }
        }
        for (int threads : List.of(16, 64)) {
            report(lab.dbScheduler(), Workers.of(threads).poll(Duration.ofMillis(100)), "tuned", WORK, 15_000);
            report(lab.jobRunr(), Workers.of(threads).poll(Duration.ofSeconds(5)), "tuned", WORK, 5_000);
        }
    }

    private void each(Workers setup, String name) throws Exception {
        for (Subject subject : List.of(lab.queue(), lab.withoutHistory())) {
            report(subject, setup, name, Duration.ZERO, JOBS);
            report(subject, setup, name, WORK, Math.min(JOBS, 3_000 * setup.slots()));
        }
    }

    private void report(Subject subject, Workers setup, String name, Duration work, int most) throws Exception {
        int jobs = lab.scaled(most);
        Drained drained = drain.once(subject, setup, Sink.expect(jobs, work), jobs);
        String threads = name.equals("tuned") ? setup.slots() + " threads" : name;
        lab.results()
                .add(
                        1,
                        "drain by slots, " + (work.isZero() ? "no-op" : work.toMillis() + " ms") + " handlers",
                        subject.name() + ", " + threads,
                        drained.rate(),
                        "jobs/s",
                        drained.others());
        lab.results().tell(drained.profile().text());
    }
}
