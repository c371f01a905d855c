package dev.jobqueue.benchmarks.phase;

import dev.jobqueue.benchmarks.measure.Pickups;
import dev.jobqueue.benchmarks.measure.Sink;
import dev.jobqueue.benchmarks.subject.Subject;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/** Jobs that one thread published one by one at a steady rate. */
final class Trickle {

    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final double KEPT_UP = 0.95;

    private final Sink sink;
    private final long[] returned;
    private final int wanted;
    private final double perSecond;

    private Trickle(Sink sink, long[] returned, int wanted, double perSecond) {
        this.sink = sink;
        this.returned = returned;
        this.wanted = wanted;
        this.perSecond = perSecond;
    }

    /**
     * Publishes jobs with the ids from 0 on and waits until all of them are being handled.
     *
     * @param work how long each handler takes
     */
    static Trickle run(Lab lab, Subject subject, int jobs, int perSecond, Duration work) throws Exception {
        Sink sink = Sink.expect(jobs, work);
        long[] returned = new long[jobs];
        long began = System.nanoTime();
        for (int i = 0; i < jobs; i++) {
            awaitTime(began + i * 1_000_000_000L / perSecond);
            subject.publish(i);
            returned[i] = System.nanoTime();
        }
        if (!sink.await(PATIENCE)) {
            lab.results().note("%s handled only %d of %d jobs".formatted(subject.name(), sink.seen(), jobs));
        }
        return new Trickle(sink, returned, perSecond, jobs * 1e9 / (returned[jobs - 1] - began));
    }

    private static void awaitTime(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** There are fewer jobs per second than wanted where a call takes longer than the time between two. */
    void noteIfSlow(Lab lab, String name) {
        if (perSecond < KEPT_UP * wanted) {
            lab.results().tell("Only %.0f jobs/s were published".formatted(perSecond));
            lab.results().note("%s: one thread could not always publish %,d jobs/s".formatted(name, wanted));
        }
    }

    /** How long the jobs with these ids waited. */
    Pickups pickups(int from, int to) {
        return Pickups.of(sink, from, Arrays.copyOfRange(returned, from, to));
    }
}
