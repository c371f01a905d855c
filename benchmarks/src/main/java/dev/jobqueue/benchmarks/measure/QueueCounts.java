package dev.jobqueue.benchmarks.measure;

import dev.jobqueue.spi.NodeMeter;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;

/** What the claimers and settlers of this JVM did; the nodes are applications that come and go. */
public final class QueueCounts implements NodeMeter {

    public static final QueueCounts OF_THIS_JVM = new QueueCounts();

    private final Calls claims = new Calls();
    private final Calls settlements = new Calls();

    private QueueCounts() {}

    @Override
    public void claimed(Duration took, int jobs) {
        claims.add(took, jobs);
    }

    @Override
    public void settled(Duration took, int jobs) {
        settlements.add(took, jobs);
    }

    Sum claims() {
        return claims.sum();
    }

    /** How many runs were settled, ever. */
    public long settledJobs() {
        return settlements().jobs();
    }

    Sum settlements() {
        return settlements.sum();
    }

    private static final class Calls {

        private final LongAdder count = new LongAdder();
        private final LongAdder jobs = new LongAdder();
        private final LongAdder nanos = new LongAdder();

        void add(Duration took, int dealtWith) {
            count.increment();
            jobs.add(dealtWith);
            nanos.add(took.toNanos());
        }

        Sum sum() {
            return new Sum(count.sum(), jobs.sum(), nanos.sum());
        }
    }

    /** So many calls for so many jobs, which took so long together. */
    record Sum(long calls, long jobs, long nanos) {

        Sum since(Sum before) {
            return new Sum(calls - before.calls, jobs - before.jobs, nanos - before.nanos);
        }

        double batch() {
            return (double) jobs / calls;
        }

        double millis() {
            return nanos / 1e6 / calls;
        }
    }
}
