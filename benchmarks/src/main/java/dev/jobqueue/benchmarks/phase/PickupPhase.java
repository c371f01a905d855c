package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Host;
import dev.jobqueue.benchmarks.measure.Pickups;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.QueueSubject;
import dev.jobqueue.benchmarks.subject.RemotePublisher;
import dev.jobqueue.benchmarks.subject.Subject;
import dev.jobqueue.benchmarks.subject.Workers;
import java.time.Duration;
import java.util.Random;

/** From the return of the publishing call to the first line of the handler; jobs come one by one into an idle queue. */
public final class PickupPhase implements Phase {

    public static final String P50 = "pickup, idle, p50";
    public static final String P99 = "pickup, idle, p99";
    public static final String SAME_JVM = "queue, same JVM";
    public static final String OTHER_JVM = "queue, other JVM";

    private static final int WARM_UP = 200;
    private static final int PAUSE = 40;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Lab lab;

    public PickupPhase(Lab lab) {
        this.lab = lab;
    }

    /** Publishes the jobs and tells when each call returned. */
    private interface Publishing {
        long[] publish(long first, int count, int pauseMillis) throws Exception;
    }

    @Override
    public void round(int number) throws Exception {
        int samples = lab.quick() ? 100 : 300;
        here(number, SAME_JVM, lab.queue(), Workers.of(16).inSameJvm(), samples, PAUSE);
        otherJvm(number, samples);
        if (number == 1) {
            here(
                    number,
                    "db-scheduler, same JVM",
                    lab.dbScheduler(),
                    Workers.of(16).inSameJvm(),
                    samples,
                    PAUSE);
            here(number, "Quartz, same JVM", lab.quartz(), Workers.of(16).inSameJvm(), samples, PAUSE);
        }
        if (number == 1 && !lab.quick()) {
            here(number, "db-scheduler, defaults (polls every 10 s)", lab.dbScheduler(), Workers.defaults(), 40, 250);
            here(number, "JobRunr, defaults (polls every 15 s)", lab.jobRunr(), Workers.defaults(), 40, 250);
            here(number, "Quartz, defaults (looks every 30 s)", lab.quartz(), Workers.defaults(), 40, 250);
        }
    }

    private void here(int round, String name, Subject subject, Workers setup, int samples, int pause) throws Exception {
        Random random = new Random(7);
        measure(round, name, subject, setup, samples, pause, (first, count, mean) -> {
            long[] returned = new long[count];
            for (int i = 0; i < count; i++) {
                Thread.sleep(mean / 2 + random.nextInt(mean));
                subject.publish(first + i);
                returned[i] = System.nanoTime();
            }
            return returned;
        });
    }

    private void otherJvm(int round, int samples) throws Exception {
        QueueSubject queue = lab.queue();
        try (RemotePublisher remote = RemotePublisher.start(lab.server().url(queue.database()))) {
            measure(round, OTHER_JVM, queue, Workers.of(16), samples, PAUSE, remote::publish);
        }
    }

    private void measure(
            int round, String name, Subject subject, Workers setup, int samples, int pause, Publishing publishing)
            throws Exception {
        subject.clear();
        subject.start(setup);
        try {
            if (setup.slots() > 0) {
                Sink warm = Sink.expect(WARM_UP);
                publishing.publish(0, WARM_UP, 4);
                warm.await(PATIENCE);
            }
            Host.Watch watch = lab.host().watch();
            Sink sink = Sink.expect(WARM_UP + samples);
            long[] returned = publishing.publish(WARM_UP, samples, pause);
            Thread.sleep(100);
            while (subject.unfinished() > 0) {
                Thread.sleep(50);
            }
            Pickups pickups = Pickups.of(sink, WARM_UP, returned);
            double others = watch.foreign();
            lab.results().add(round, P50, name, pickups.p50(), "ms", others);
            if (samples >= 100) {
                lab.results().add(round, P99, name, pickups.p99(), "ms", others);
            }
        } finally {
            subject.stop();
            subject.clear();
        }
    }
}
