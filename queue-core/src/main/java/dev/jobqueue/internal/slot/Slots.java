package dev.jobqueue.internal.slot;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.handle.BundleRunner;
import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.BundledRun.Series;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.handle.JobRunner;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.handle.RunningJob;
import dev.jobqueue.internal.handle.Timeouts;
import dev.jobqueue.internal.settle.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The slots of all queues of this node: takes what was claimed, has it handled, and stops it. */
public final class Slots {

    private static final Logger log = LoggerFactory.getLogger(Slots.class);

    /** How long handlers that were interrupted may take to end when the node stops. */
    public static final Duration INTERRUPT_WAIT = Duration.ofSeconds(2);

    private final HandlingSetup setup;
    private final HandlerRegistry handlers;
    private final JobsInFlight inFlight;
    private final HandlingSetup.Tools tools;
    private final Timeouts timeouts;
    private final JobRunner runner;
    private final BundleRunner bundles;
    private final Consumer<Outcome> settler;
    private final ExecutorService executor;
    private final Map<String, QueueSlots> queues = new LinkedHashMap<>();
    private volatile Consumer<String> onFreed = queue -> {};

    /**
     * @param inFlight where claimed jobs stand until they are settled
     * @param settler takes how runs ended
     */
    public Slots(HandlingSetup setup, JobsInFlight inFlight, Consumer<Outcome> settler) {
        this.setup = setup;
        this.handlers = setup.application().handlers();
        this.inFlight = inFlight;
        this.settler = settler;
        this.timeouts = new Timeouts(this::timedOut, this::ignoresInterrupt);
        this.tools = setup.tools(timeouts);
        this.runner = new JobRunner(setup, settler);
        this.bundles = new BundleRunner(setup, runner, settler);
        this.executor = Executors.newCachedThreadPool(setup.resources().threads());
        setup.slots()
                .forEach((queue, capacity) -> queues.put(
                        queue, new QueueSlots(queue, capacity, setup.maxClaimBytes(), executor, new QueueHost())));
    }

    /** Who is told when the buffer of a queue runs low. */
    public void onFreed(Consumer<String> listener) {
        onFreed = listener;
    }

    public Collection<QueueSlots> all() {
        return queues.values();
    }

    /** The slots of one queue; {@code null} if this node does not work it. */
    public @Nullable QueueSlots of(String queue) {
        return queues.get(queue);
    }

    public boolean handles(String type) {
        return handlers.find(type) != null;
    }

    public Collection<String> types() {
        return handlers.types();
    }

    /** Takes claimed jobs. If that fails, none of them is in flight afterwards that has not begun. */
    public void accept(List<ClaimedJob> jobs) {
        Map<String, List<RunningJob>> byQueue = new LinkedHashMap<>();
        Map<Long, Series> series = new HashMap<>();
        try {
            for (ClaimedJob claimed : jobs) {
                byQueue.computeIfAbsent(claimed.queue(), queue -> new ArrayList<>())
                        .add(runOf(claimed, series));
            }
            byQueue.values().forEach(some -> some.forEach(this::hold));
            byQueue.forEach((queue, some) -> slotsOf(queue).accept(some));
        } catch (RuntimeException | Error ex) {
            byQueue.values().forEach(some -> some.forEach(this::disown));
            throw ex;
        }
    }

    private RunningJob runOf(ClaimedJob claimed, Map<Long, Series> others) {
        HandlerDefinition handler = handlerOf(claimed);
        if (handler.bundleFunction() == null) {
            return new RunningJob(claimed, handler.transactional(), tools);
        }
        Long lane = claimed.lane();
        Series series = lane == null ? new Series() : others.computeIfAbsent(lane, none -> new Series());
        return new BundledRun(claimed, handler.most(), series, tools, HandlingSetup.Hooks.NONE);
    }

    private void hold(RunningJob job) {
        inFlight.add(job);
        Duration limit = job.claimed().timeout(handlerOf(job.claimed()));
        if (limit != null) {
            timeouts.watch(job, limit);
        }
    }

    /** The heartbeat gives back what runs nowhere on this node. */
    private void disown(RunningJob job) {
        if (job.stopUnlessBegun(RunningJob.Stop.LOST)) {
            inFlight.remove(job);
        }
    }

    private void timedOut(RunningJob job) {
        // that its time ran out in the buffer is not the fault of its handler
        boolean begun = job.hasBegun();
        settle(job, begun);
        if (begun && !(job instanceof BundledRun)) {
            slotsOf(job.queue()).abandon(job);
        }
    }

    private void settle(RunningJob job, boolean late) {
        Outcome outcome;
        try {
            outcome = late ? new Outcome.Threw(job, setup.timedOut(), true) : new Outcome.Released(job);
        } catch (OutOfMemoryError ex) {
            outcome = job.untold();
        }
        settler.accept(outcome);
    }

    /** A bundle keeps its slot until its handler ignores an interrupt, so that the next bundle starts after it. */
    private void ignoresInterrupt(RunningJob job) {
        if (job instanceof BundledRun bundled) {
            slotsOf(job.queue()).abandon(bundled.firstOfBundle());
        }
    }

    private void release(RunningJob job) {
        if (job.tryEnd()) {
            settle(job, false);
        }
    }

    /** How many handlers run. */
    public int busy() {
        return queues.values().stream().mapToInt(QueueSlots::active).sum();
    }

    /**
     * Gives back what has not begun, lets the rest finish within the grace period, then interrupts it and gives it back
     * too. No attempt counts as failed because of this.
     */
    public void stop(Duration grace) throws InterruptedException {
        long deadline = System.nanoTime() + grace.toNanos();
        queues.values().stream().flatMap(each -> each.drain().stream()).forEach(this::release);
        if (busy() > 0) {
            log.info("Waiting for {} to finish, up to {}", Counts.of(busy(), "running job"), Spans.text(grace));
            awaitIdle(deadline);
        }
        if (busy() > 0) {
            log.info(
                    "Stopping {} that did not finish within {}: {}",
                    Counts.of(busy(), "job"),
                    Spans.text(grace),
                    inFlight.describeRunning());
            inFlight.stopAll(RunningJob.Stop.SHUTDOWN);
            awaitIdle(System.nanoTime() + INTERRUPT_WAIT.toNanos());
            inFlight.all().forEach(this::release);
        }
        timeouts.close();
        tools.reports().close();
    }

    /** After everything is settled. */
    public void close() {
        executor.shutdownNow();
    }

    private void awaitIdle(long deadline) throws InterruptedException {
        while (busy() > 0 && deadline - System.nanoTime() > 0) {
            Thread.sleep(10);
        }
    }

    /** How many runs ignore the interrupt of their timeout, by handler. They have no slot any more. */
    public Map<HandlerDefinition, Integer> deafRuns() {
        Map<HandlerDefinition, Integer> runs = new LinkedHashMap<>();
        timeouts.deaf().forEach(type -> runs.merge(Objects.requireNonNull(handlers.find(type)), 1, Integer::sum));
        return runs;
    }

    private HandlerDefinition handlerOf(ClaimedJob claimed) {
        return Objects.requireNonNull(handlers.find(claimed.type()));
    }

    private QueueSlots slotsOf(String queue) {
        return Objects.requireNonNull(queues.get(queue));
    }

    private final class QueueHost implements SlotHost {

        @Override
        public boolean handle(RunningJob job) {
            return runner.run(job);
        }

        @Override
        public void handle(List<BundledRun> jobs) {
            bundles.run(jobs);
        }

        @Override
        public void freed(String queue) {
            onFreed.accept(queue);
        }

        @Override
        public void giveBack(RunningJob job) {
            release(job);
        }

        @Override
        public void later(Runnable look) {
            timeouts.guard(look);
        }
    }
}
