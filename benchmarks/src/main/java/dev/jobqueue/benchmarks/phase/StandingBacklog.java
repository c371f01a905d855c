package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Pickups;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.sql.Connection;
import java.time.Duration;

/**
 * Five minutes of 1,000 jobs per second beside a million pending jobs of lower priority, while somebody holds a
 * snapshot open: whether jobs wait longer at the end than at the beginning. Handlers sleep, so the slots could do at
 * most 1,600 jobs per second: they are always busy, and less than a fifth of the backlog is handled meanwhile.
 */
final class StandingBacklog {

    private static final String SUBJECT = "queue, 1 million pending of lower priority";
    private static final String METRIC = "snapshot held open, 1,000 jobs/s, pickup %s, %s";
    private static final int ROWS = 1_000_000;
    private static final int PER_SECOND = 1_000;
    private static final int SLOTS = 32;
    private static final Duration WORK = Duration.ofMillis(20);
    private static final int MINUTES = 5;

    private final Lab lab;
    private final QueueSubject queue;

    StandingBacklog(Lab lab) throws Exception {
        this.lab = lab;
        this.queue = lab.create(new QueueSubject(SUBJECT, "queue_standing", lab.server()));
    }

    void measure(int round) throws Exception {
        int perMinute = PER_SECOND * (lab.quick() ? 3 : 60);
        int jobs = perMinute * MINUTES;
        queue.clear();
        queue.publishAll(jobs, lab.scaled(ROWS), (id, job) -> job.priority(-1));
        lab.server().tidy(queue.database());
        Connection old = lab.server().holdSnapshot(queue.database());
        try {
            Host.Watch watch = lab.host().watch();
            Sink.expect(0, WORK);
            queue.start(Workers.of(SLOTS));
            Trickle.run(lab, queue, 2 * PER_SECOND, PER_SECOND, WORK);
            Trickle trickle = Trickle.run(lab, queue, jobs, PER_SECOND, WORK);
            trickle.noteIfSlow(lab, SUBJECT);
            Pickups first = trickle.pickups(0, perMinute);
            Pickups last = trickle.pickups(jobs - perMinute, jobs);
            report(round, "p50", first.p50(), last.p50(), watch.foreign());
            report(round, "p99", first.p99(), last.p99(), watch.foreign());
        } finally {
            old.close();
            queue.stop();
            queue.clear();
        }
    }

    private void report(int round, String which, double first, double last, double others) {
        Results results = lab.results();
        results.add(round, METRIC.formatted(which, "first minute"), SUBJECT, first, "ms", others);
        results.add(round, METRIC.formatted(which, "last minute"), SUBJECT, last, "ms", others);
        results.add(round, METRIC.formatted(which, "last / first minute"), SUBJECT, last / first, "", others);
    }
}
