package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Pickups;
import dev.jobqueue.benchmarks.measure.Profile;
import dev.jobqueue.benchmarks.measure.Profiler;
import dev.jobqueue.benchmarks.measure.Results;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * Jobs that come one by one at a steady rate, as most applications have them: what each costs the server and the
 * client, and how long it waits. Workers and publisher share this JVM, so the client's time is that of both.
 */
public final class TricklePhase implements Phase {

    public static final String SAME_JVM = "queue, same JVM";
    public static final String IMMEDIATE = "db-scheduler, immediate";

    private static final String OTHER_NODE = "queue, other node";
    private static final List<Integer> RATES = List.of(20, 200, 1_000);
    private static final int WARM_UP = 1_000;

    private final Lab lab;

    public TricklePhase(Lab lab) {
        this.lab = lab;
    }

    /** The name of the metric: server time per job at so many jobs per second. */
    public static String server(int rate) {
        return metric(rate, "server time per job");
    }

    private static String metric(int rate, String what) {
        return String.format(Locale.ROOT, "trickle, %,d jobs/s, %s", rate, what);
    }

    @Override
    public void round(int number) throws Exception {
        Workers workers = Workers.of(16);
        for (int rate : RATES) {
            measure(number, rate, SAME_JVM, lab.queue(), workers.inSameJvm());
            measure(number, rate, IMMEDIATE, lab.dbScheduler(), workers.inSameJvm());
            measure(number, rate, OTHER_NODE, lab.queue(), workers);
            if (number == 1) {
                Workers often = workers.poll(Duration.ofMillis(100));
                measure(number, rate, "db-scheduler, polls every 100 ms", lab.dbScheduler(), often);
                Workers seldom = workers.poll(Duration.ofSeconds(5));
                measure(number, rate, "JobRunr, polls every 5 s", lab.jobRunr(), seldom);
            }
        }
    }

    private void measure(int round, int rate, String name, Subject subject, Workers setup) throws Exception {
        int jobs = rate * (lab.quick() ? 3 : rate < 100 ? 15 : 10);
        subject.clear();
        lab.server().tidy(subject.database());
        subject.start(setup);
        try {
            run(subject, lab.scaled(WARM_UP), 1_000);
            Host.Watch watch = lab.host().watch();
            Profiler profiler = Profiler.start(lab.server());
            Trickle trickle = run(subject, jobs, rate);
            report(round, rate, name, trickle.pickups(0, jobs), profiler.stop(jobs), watch.foreign());
            trickle.noteIfSlow(lab, name);
        } finally {
            subject.stop();
            subject.clear();
        }
    }

    /** Until the database shows that all of them are finished. */
    private Trickle run(Subject subject, int jobs, int rate) throws Exception {
        Trickle trickle = Trickle.run(lab, subject, jobs, rate, Duration.ZERO);
        while (subject.unfinished() > 0) {
            Thread.sleep(10);
        }
        return trickle;
    }

    private void report(int round, int rate, String name, Pickups pickups, Profile profile, double others) {
        Results results = lab.results();
        results.add(round, server(rate), name, profile.serverMicros(), "us", others);
        results.add(round, metric(rate, "client time per job"), name, profile.clientMicros(), "us", others);
        results.add(round, metric(rate, "pickup p50"), name, pickups.p50(), "ms", others);
        results.add(round, metric(rate, "pickup p99"), name, pickups.p99(), "ms", others);
        results.tell(profile.text());
    }
}
