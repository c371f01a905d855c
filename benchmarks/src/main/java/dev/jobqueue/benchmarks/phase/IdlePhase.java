package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.lang.management.ManagementFactory;
import java.util.List;

/** One idle node of each, with its defaults: what it asks of the database, and the heap it needs. Once. */
public final class IdlePhase implements Phase {

    public static final String STATEMENTS = "idle node, statements";
    public static final String QUEUE = "queue";

    private static final String HEAP = "idle node, heap";

    private final Lab lab;

    public IdlePhase(Lab lab) {
        this.lab = lab;
    }

    @Override
    public void round(int number) throws Exception {
        if (number > 1) {
            return;
        }
        List<Subject> subjects = List.of(lab.queue(), lab.dbScheduler(), lab.jobRunr(), lab.quartz());
        try {
            for (Subject subject : subjects) {
                subject.clear();
                long before = heap();
                subject.start(Workers.defaults());
                Thread.sleep(lab.quick() ? 500 : 2_000);
                lab.results().add(number, HEAP, name(subject), (heap() - before) / 1e6, "MB", 0);
            }
            Thread.sleep(lab.quick() ? 2_000 : 12_000);
            lab.server().countStatements(true);
            int seconds = lab.quick() ? 15 : 90;
            Thread.sleep(seconds * 1_000L);
            for (Subject subject : subjects) {
                double rate = (double) lab.server().statements(subject.database()) / seconds;
                lab.results().add(number, STATEMENTS, name(subject), rate, "/s", 0);
            }
        } finally {
            lab.server().countStatements(false);
            for (Subject subject : subjects) {
                subject.stop();
            }
        }
    }

    private String name(Subject subject) {
        return subject == lab.queue() ? QUEUE : subject.name();
    }

    /** What is left after the garbage was collected. */
    private static long heap() {
        // twice: what the first one finds unreachable may hold more
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
