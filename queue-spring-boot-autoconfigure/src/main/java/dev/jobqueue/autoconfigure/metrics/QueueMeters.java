package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.NodeMeter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Counts and times what happens on this node. */
final class QueueMeters implements NodeMeter {

    private final MeterRegistry registry;
    private final boolean histograms;
    private final Timer claim;
    private final DistributionSummary claimBatch;
    private final Timer settle;
    private final DistributionSummary settleBatch;
    private final Counter rescued;
    private final Counter dropped;
    private final Timer fired;
    private final Counter skipped;
    private final Counter missed;
    private final FlowMeters flows;
    private final Map<Kind, Counter> published = new ConcurrentHashMap<>();
    private final Map<Kind, KindMeters> handled = new ConcurrentHashMap<>();

    QueueMeters(MeterRegistry registry, boolean histograms) {
        this.registry = registry;
        this.histograms = histograms;
        this.flows = new FlowMeters(registry);
        this.claim =
                Timer.builder("queue.claim").description("Claims of this node").register(registry);
        this.claimBatch = DistributionSummary.builder("queue.claim.batch")
                .description("Jobs per claim")
                .register(registry);
        this.settle = Timer.builder("queue.settle")
                .description("Settlements of this node")
                .register(registry);
        this.settleBatch = DistributionSummary.builder("queue.settle.batch")
                .description("Runs per settlement")
                .register(registry);
        this.rescued = Counter.builder("queue.rescued")
                .description("Jobs taken back from dead nodes or after their timeout")
                .register(registry);
        this.dropped = Counter.builder("queue.listeners.dropped")
                .description("Events that listeners were too slow to be told of")
                .register(registry);
        this.fired = Timer.builder("queue.schedules.fired")
                .description("How much later than due schedules published")
                .register(registry);
        this.skipped = Counter.builder("queue.schedules.skipped")
                .description("Runs left out because the last one had not ended")
                .register(registry);
        this.missed = Counter.builder("queue.schedules.missed")
                .description("Due times that passed because no node was up")
                .register(registry);
    }

    @Override
    public void published(String queue, String type, int jobs) {
        published
                .computeIfAbsent(
                        new Kind(queue, type),
                        kind -> Counter.builder("queue.jobs.published")
                                .description("Jobs published by this node")
                                .tags("queue", kind.queue, "type", kind.type)
                                .register(registry))
                .increment(jobs);
    }

    @Override
    public void ended(JobEvent.Ended run) {
        handled.computeIfAbsent(new Kind(run.queue(), run.type()), KindMeters::new)
                .record(run);
    }

    @Override
    public void claimed(Duration took, int jobs) {
        claim.record(took);
        claimBatch.record(jobs);
    }

    @Override
    public void settled(Duration took, int jobs) {
        settle.record(took);
        settleBatch.record(jobs);
    }

    @Override
    public void rescued(int jobs) {
        rescued.increment(jobs);
    }

    @Override
    public void dropped(int events) {
        dropped.increment(events);
    }

    @Override
    public void scheduleFired(String name, Duration lag) {
        fired.record(lag);
    }

    @Override
    public void scheduleSkipped(String name) {
        skipped.increment();
    }

    @Override
    public void scheduleMissed(String name, int count) {
        missed.increment(count);
    }

    @Override
    public void flowFinished(FlowKind kind, String name, FlowState state, Duration took) {
        flows.finished(kind, name, state, took);
    }

    private record Kind(String queue, String type) {}

    /** The meters of the runs of one type in one queue. */
    private final class KindMeters {

        private final Map<JobEnding, Counter> endings = new EnumMap<>(JobEnding.class);
        private final Timer wait;
        private final Timer run;

        KindMeters(Kind kind) {
            for (JobEnding ending : JobEnding.values()) {
                endings.put(
                        ending,
                        Counter.builder("queue.jobs.handled")
                                .description("Runs that ended on this node")
                                .tags("queue", kind.queue, "type", kind.type, "outcome", ending.label())
                                .register(registry));
            }
            this.wait = timer(kind, "queue.job.wait", "How long jobs were due before they were claimed");
            this.run = timer(kind, "queue.job.run", "How long handlers took");
        }

        private Timer timer(Kind kind, String name, String description) {
            return Timer.builder(name)
                    .description(description)
                    .tags("queue", kind.queue, "type", kind.type)
                    .publishPercentileHistogram(histograms)
                    .register(registry);
        }

        void record(JobEvent.Ended ended) {
            Counter counter = endings.get(ended.ending());
            if (counter != null) {
                counter.increment();
            }
            wait.record(ended.waited());
            run.record(ended.ran());
        }
    }
}
