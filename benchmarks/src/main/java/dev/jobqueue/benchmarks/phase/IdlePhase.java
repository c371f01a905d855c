package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.util.List;

/** One idle node of each, with its defaults: what it asks of the database. Once, in the first round. */
public final class IdlePhase implements Phase {

    public static final String STATEMENTS = "idle node, statements";
    public static final String QUEUE = "queue";

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
                subject.start(Workers.defaults());
            }
            Thread.sleep(lab.quick() ? 2_000 : 20_000);
            lab.server().countStatements(true);
            int seconds = lab.quick() ? 15 : 120;
            Thread.sleep(seconds * 1_000L);
            for (Subject subject : subjects) {
                String name = subject == lab.queue() ? QUEUE : subject.name();
                double rate = (double) lab.server().statements(subject.database()) / seconds;
                lab.results().add(number, STATEMENTS, name, rate, "/s", 0);
            }
        } finally {
            lab.server().countStatements(false);
            for (Subject subject : subjects) {
                subject.stop();
            }
        }
    }
}
