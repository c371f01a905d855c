package dev.jobqueue.autoconfigure.metrics;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.node.NodeStatus;
import dev.jobqueue.internal.node.NodeStatus.SlotUse;
import dev.jobqueue.internal.node.NodeStatus.ThreadStatus;
import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.operate.QueueFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.TimeGauge;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;

/**
 * Gauges of all queues and of this node. They read what a thread of their own last saw in the database, or what is in
 * memory anyway: a scrape never runs a query, and never waits.
 */
final class FigureGauges implements SmartLifecycle {

    /** How long somebody is taken to watch after a look at the figures; scrapes come a minute apart, or less. */
    private static final Duration WATCHED = Duration.ofMinutes(5);

    /** How many times rarer the figures are read while nobody looks at them. */
    private static final int RARER = 6;

    private final MeterRegistry registry;
    private final FigureReader reader;
    private final Supplier<NodeStatus> node;
    private final QueueProperties properties;
    private final Outage outage = new Outage("Figures for the meters");
    private final Set<String> queues = ConcurrentHashMap.newKeySet();
    private final Set<String> slots = ConcurrentHashMap.newKeySet();
    private final ScheduleGauges schedules;
    private final LimitGauges limits;
    private final FlowGauges flows;
    private volatile Figures latest = Figures.NONE;
    private volatile @Nullable Long lookedAt;
    private int rounds;
    private volatile @Nullable ScheduledExecutorService thread;

    /**
     * @param node how this node is at the moment
     */
    FigureGauges(MeterRegistry registry, FigureReader reader, Supplier<NodeStatus> node, QueueProperties properties) {
        this.registry = registry;
        this.reader = reader.within(properties.metrics().timeout());
        this.node = node;
        this.properties = properties;
        this.schedules = new ScheduleGauges(registry);
        this.limits = new LimitGauges(registry);
        this.flows = new FlowGauges(registry);
    }

    @Override
    public void start() {
        registerAll();
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(threads());
        long refresh = properties.metrics().refresh().toMillis();
        Future<?> unused = started.scheduleWithFixedDelay(this::refreshIfWorthIt, 0, refresh, TimeUnit.MILLISECONDS);
        thread = started;
    }

    private static CustomizableThreadFactory threads() {
        CustomizableThreadFactory threads = new CustomizableThreadFactory("queue-figures-");
        threads.setDaemon(true);
        return threads;
    }

    @Override
    public void stop() {
        ScheduledExecutorService current = thread;
        if (current != null) {
            // first: a read that is interrupted is no outage
            thread = null;
            current.shutdownNow();
        }
    }

    @Override
    public boolean isRunning() {
        return thread != null;
    }

    private void refreshIfWorthIt() {
        if (rounds++ % RARER == 0 || isWatched() || outage.isOn()) {
            refresh();
        }
    }

    private boolean isWatched() {
        Long looked = lookedAt;
        return looked != null && System.nanoTime() - looked < WATCHED.toNanos();
    }

    private Figures figures() {
        lookedAt = System.nanoTime();
        return latest;
    }

    void refresh() {
        try {
            NodeStatus.Worker worker = node.get().worker();
            if (worker != null) {
                worker.slots().keySet().stream().filter(slots::add).forEach(this::registerSlots);
            }
            Figures read = Figures.read(
                    reader,
                    properties.metrics().countLimit(),
                    properties.worker().ttl());
            latest = read;
            read.queues().keySet().stream().filter(queues::add).forEach(this::registerQueue);
            schedules.show(read.overdue(), read.overdueSchedules());
            limits.show(read.limits());
            flows.show(read.runningFlows());
            outage.over();
        } catch (RuntimeException ex) {
            if (thread != null) {
                outage.failed(ex);
            }
        }
    }

    private void registerAll() {
        time(
                "queue.figures.age",
                "How old the figures of the queues are",
                () -> figures().age());
        time(
                "queue.database.transaction.age",
                "How long the oldest transaction is open",
                () -> figures().transactionAge());
        gauge(
                "queue.database.dead.tuples",
                "Dead tuples of the live jobs",
                () -> figures().deadTuples());
        gauge(
                "queue.database.notification.usage",
                "How full PostgreSQL's queue of notifications is",
                () -> figures().notificationUsage());
        gauge("queue.nodes", "Live nodes", () -> figures().nodes());
        gauge(
                "queue.unhandled.types",
                "Types that wait and that no live node handles",
                () -> figures().unhandled());
        FunctionCounter.builder("queue.thread.failures", node, FigureGauges::threadFailures)
                .description("Errors after which threads of this node went on")
                .register(registry);
        gauge("queue.listener.connected", "Whether this node hears of new jobs at once", this::listening);
    }

    private void registerQueue(String queue) {
        jobs(queue, "pending", QueueFigures::pending);
        jobs(queue, "scheduled", QueueFigures::scheduled);
        jobs(queue, "running", QueueFigures::running);
        jobs(queue, "waiting", QueueFigures::waiting);
        Gauge.builder("queue.dead.letters", () -> figures().of(queue, QueueFigures::dead))
                .description("Dead letters")
                .tag("queue", queue)
                .register(registry);
        TimeGauge.builder(
                        "queue.oldest.age",
                        () -> figures().of(queue, FigureGauges::oldestMillis),
                        TimeUnit.MILLISECONDS)
                .description("How long the oldest pending job is due")
                .tag("queue", queue)
                .register(registry);
    }

    private void jobs(String queue, String state, ToDoubleFunction<QueueFigures> figure) {
        Gauge.builder("queue.jobs", () -> figures().of(queue, figure))
                .description("Live jobs, counted up to queue.metrics.count-limit")
                .tags("queue", queue, "state", state)
                .register(registry);
    }

    private void registerSlots(String queue) {
        slots(queue, "total", SlotUse::total);
        slots(queue, "used", SlotUse::used);
    }

    private void slots(String queue, String kind, ToIntFunction<SlotUse> figure) {
        Gauge.builder("queue.slots", () -> {
                    SlotUse use = node.get().slots(queue);
                    return use == null ? 0 : figure.applyAsInt(use);
                })
                .description("Slots of this node")
                .tags("queue", queue, "kind", kind)
                .register(registry);
    }

    private static double threadFailures(Supplier<NodeStatus> node) {
        return node.get().threads().stream().mapToLong(ThreadStatus::failures).sum();
    }

    private double listening() {
        NodeStatus.Worker worker = node.get().worker();
        return worker == null || worker.listener() == null ? Double.NaN : worker.isListening() ? 1 : 0;
    }

    private void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder(name, value).description(description).register(registry);
    }

    private void time(String name, String description, Supplier<Duration> value) {
        TimeGauge.builder(name, () -> value.get().toMillis(), TimeUnit.MILLISECONDS)
                .description(description)
                .register(registry);
    }

    private static double oldestMillis(QueueFigures figures) {
        Duration oldest = figures.oldest();
        return oldest == null ? 0 : oldest.toMillis();
    }
}
