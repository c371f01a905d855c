package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.DbSchedulerSubject;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The same drain while a million other rows are there: finished, waiting, or due later. */
public final class GrowthPhase implements Phase {

    public static final String RATE = "drain beside other rows, 16 slots";
    public static final String CLEAN = "queue, nothing else";
    public static final String HISTORY = "queue, 1 million in history";
    public static final String PENDING = "queue, 1 million pending";
    public static final String SCHEDULED = "queue, 1 million scheduled";

    private static final int ROWS = 1_000_000;
    private static final int PASSES = 3;
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Lab lab;
    private final QueueSubject clean;
    private final QueueSubject history;
    private final QueueSubject pending;
    private final QueueSubject scheduled;
    private boolean filled;

    public GrowthPhase(Lab lab) throws Exception {
        this.lab = lab;
        this.clean = lab.create(new QueueSubject(CLEAN, "queue_clean", lab.server()));
        this.history = lab.create(new QueueSubject(HISTORY, "queue_history", lab.server()));
        this.pending = lab.create(new QueueSubject(PENDING, "queue_pending", lab.server()));
        this.scheduled = lab.create(new QueueSubject(SCHEDULED, "queue_scheduled", lab.server()));
    }

    @Override
    public void round(int number) throws Exception {
        if (!filled) {
            pending.publishAll(0, lab.scaled(ROWS));
            scheduled.publishAll(0, lab.scaled(ROWS), (id, job) -> job.delay(Duration.ofDays(365)));
            filled = true;
        }
        renewHistory();
        for (int pass : lab.passes(number, PASSES)) {
            List<QueueSubject> subjects = new ArrayList<>(List.of(clean, history, pending, scheduled));
            Collections.rotate(subjects, -pass); // each is first and last in turn
            for (QueueSubject subject : subjects) {
                measure(pass, subject);
            }
        }
        if (number == 1) {
            dbScheduler();
        }
    }

    private void dbScheduler() throws Exception {
        DbSchedulerSubject peer = lab.dbScheduler();
        Workers tuned = Workers.of(16).poll(Duration.ofMillis(100));
        peer.clear();
        drain(1, "db-scheduler, nothing else", peer, tuned, lab.scaled(30_000));
        peer.addScheduled(lab.scaled(ROWS));
        drain(1, "db-scheduler, 1 million scheduled", peer, tuned, lab.scaled(30_000));
        peer.clear();
    }

    /** Each drain adds to it: so all begin a round with none, or with as much as they should have. */
    private void renewHistory() throws SQLException {
        clean.clear();
        for (QueueSubject each : List.of(history, pending, scheduled)) {
            lab.server().execute(each.database(), "TRUNCATE queue.job_history");
        }
        lab.server().execute(history.database(), """
                        INSERT INTO queue.job_history (id, queue, type, state, priority, run_at, payload, headers,
                            attempt, max_attempts, created_at, worker_id, claimed_at, errors, steps, events,
                            finished_at)
                        SELECT queue.uuidv7(), 'default', 'work', 'COMPLETED', 0, now(),
                            jsonb_build_object('id', g, 'to', 'user@example.org', 'subject', 'Your order',
                                'again', false), '{}', 1, 3, now(), gen_random_uuid(), now(), '[]', 0, 0,
                            now() - g * interval '1 ms'
                        FROM generate_series(1, %d) g""".formatted(lab.scaled(ROWS)));
    }

    private void measure(int round, QueueSubject queue) throws Exception {
        drain(round, queue.name(), queue, Workers.of(16), lab.backlog());
    }

    /** Until so many jobs were handled, oldest first; the worker then stops. */
    private void drain(int round, String name, Subject queue, Workers setup, int jobs) throws Exception {
        queue.publishAll(0, jobs);
        lab.server().tidy(queue.database());
        Host.Watch watch = lab.host().watch();
        Sink sink = Sink.expectAny(jobs);
        queue.start(setup);
        try {
            sink.awaitFirst(PATIENCE);
            int before = sink.seen();
            Profiler profiler = Profiler.start(lab.server());
            sink.await(PATIENCE);
            Profile profile = profiler.stop(sink.seen() - before);
            lab.results().add(round, RATE, name, sink.rate(0, 1), "jobs/s", watch.foreign());
            lab.results().tell(profile.text());
        } finally {
            queue.stop();
            lab.server().tidy(queue.database());
        }
    }
}
