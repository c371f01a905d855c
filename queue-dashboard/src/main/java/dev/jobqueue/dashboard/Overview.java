package dev.jobqueue.dashboard;

import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.LimitFigures;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.Throughput;
import dev.jobqueue.operate.UnhandledType;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How everything is doing, computed once for all who look. The figures of the queues are as old as the refresh at most;
 * what changes slowly and costs more is looked up less often.
 */
final class Overview implements Endpoints {

    private static final int SPARK_MINUTES = 30;
    private static final Duration SLOW = Duration.ofSeconds(5);

    /** While the database does not answer, not every page waits for it in a thread of its own. */
    private static final Duration FAILURE = Duration.ofSeconds(1);

    private final JobOperations operations;
    private final @Nullable JobSchedules schedules;
    private final long refreshNanos;

    private @Nullable Slow slow;
    private @Nullable Snapshot last;
    private @Nullable RuntimeException failure;
    private long failedAt;

    private record Slow(
            long at,
            List<NodeFigures> nodes,
            List<UnhandledType> unhandled,
            Map<String, List<Throughput>> sparks,
            List<Throughput> minute,
            List<Schedule> schedules,
            List<LimitFigures> limits) {}

    /**
     * What was found.
     *
     * @param upto when to look again
     */
    private record Snapshot(
            long upto, Map<String, @Nullable Object> overview, List<Map<String, @Nullable Object>> queues) {}

    Overview(JobOperations operations, @Nullable JobSchedules schedules, Duration refresh) {
        this.operations = operations;
        this.schedules = schedules;
        this.refreshNanos = refresh.toNanos();
    }

    @Override
    public void addTo(Routes routes) {
        routes.get("overview", call -> current());
        routes.get("queues", call -> queues());
    }

    Map<String, @Nullable Object> current() {
        return snapshot().overview();
    }

    List<Map<String, @Nullable Object>> queues() {
        return snapshot().queues();
    }

    /** One thread looks, the others wait for what it finds; also if that is an error, for a while. */
    private synchronized Snapshot snapshot() {
        long now = System.nanoTime();
        if (failure != null && now - failedAt < FAILURE.toNanos()) {
            throw failure;
        }
        Snapshot known = last;
        if (known == null || now - known.upto() > 0) {
            try {
                known = compute(now);
                failure = null;
            } catch (RuntimeException ex) {
                failure = ex;
                failedAt = System.nanoTime();
                throw ex;
            }
            last = known;
        }
        return known;
    }

    /** The types that live nodes handle, or that wait for one that does. */
    Set<String> types() {
        Slow known = knownSlow();
        return Stream.concat(
                        known.nodes().stream().flatMap(each -> {
                            List<String> types = each.types();
                            return types == null ? Stream.empty() : types.stream();
                        }),
                        known.unhandled().stream().map(UnhandledType::type))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private synchronized Slow knownSlow() {
        return slow(System.nanoTime());
    }

    /** Somebody has acted: what is known may be wrong. */
    synchronized void forget() {
        last = null;
        slow = null;
    }

    private Snapshot compute(long now) {
        Slow rest = slow(now);
        long begin = System.nanoTime();
        List<QueueFigures> figures = operations.queues();
        // a little shorter than the interval of the pages, or every second look would get old figures; longer if a
        // look takes long
        long pause = RecentAnswers.pauseAfter(System.nanoTime() - begin, refreshNanos * 9 / 10);
        List<Map<String, @Nullable Object>> queues =
                figures.stream().map(each -> queue(each, rest.sparks())).toList();
        long live = rest.nodes().stream().filter(NodeFigures::isLive).count();
        Map<String, @Nullable Object> overview = new LinkedHashMap<>();
        overview.put("at", Instant.now().truncatedTo(ChronoUnit.MILLIS));
        overview.put("problems", Problems.of(figures, rest.nodes(), rest.unhandled(), rest.schedules(), rest.limits()));
        overview.put("queues", queues);
        overview.put("nodes", Map.of("live", live, "silent", rest.nodes().size() - live));
        overview.put("perMinute", perMinute(rest.minute()));
        overview.put("oldestMs", oldest(figures));
        overview.put(
                "unhandled", rest.unhandled().stream().map(Overview::unhandled).toList());
        return new Snapshot(now + pause, overview, queues);
    }

    private Slow slow(long now) {
        Slow known = slow;
        if (known == null || now - known.at() > SLOW.toNanos()) {
            known = new Slow(
                    now,
                    operations.nodes(),
                    operations.unhandledTypes(),
                    operations.throughputByQueue(Duration.ofMinutes(SPARK_MINUTES)),
                    operations.throughput(null, null, Duration.ofMinutes(2), Duration.ofSeconds(10)),
                    schedules == null ? List.of() : schedules.list(),
                    operations.limits().list());
            slow = known;
        }
        return known;
    }

    private static @Nullable Long oldest(List<QueueFigures> figures) {
        return figures.stream()
                .map(QueueFigures::oldest)
                .filter(Objects::nonNull)
                .map(Duration::toMillis)
                .max(Comparator.naturalOrder())
                .orElse(null);
    }

    /** Of the last six steps that can have been counted whole: they are counted every ten seconds. */
    private static Map<String, Long> perMinute(List<Throughput> steps) {
        int end = Math.max(0, steps.size() - 2);
        List<Throughput> minute = steps.subList(Math.max(0, end - 6), end);
        return Map.of(
                "completed", minute.stream().mapToLong(Throughput::completed).sum(),
                "failed", minute.stream().mapToLong(Throughput::failed).sum(),
                "dead", minute.stream().mapToLong(Throughput::dead).sum());
    }

    private static Map<String, @Nullable Object> queue(QueueFigures figures, Map<String, List<Throughput>> sparks) {
        Map<String, @Nullable Object> queue = new LinkedHashMap<>();
        queue.put("queue", figures.queue());
        queue.put("pausedAt", figures.pausedAt());
        queue.put("pending", figures.pending());
        queue.put("pendingAtLeast", figures.pendingIsAtLeast());
        queue.put("scheduled", figures.scheduled());
        queue.put("waiting", figures.waiting());
        queue.put("running", figures.running());
        queue.put("dead", figures.dead());
        queue.put("countLimit", figures.countLimit());
        Duration oldest = figures.oldest();
        queue.put("oldestMs", oldest == null ? null : oldest.toMillis());
        queue.put("status", Problems.level(figures));
        queue.put("spark", spark(sparks.getOrDefault(figures.queue(), List.of())));
        return queue;
    }

    /** Completed jobs by minute; the last one has not ended yet. */
    private static long[] spark(List<Throughput> minutes) {
        long[] spark = new long[SPARK_MINUTES];
        Instant last = Instant.now().truncatedTo(ChronoUnit.MINUTES);
        for (Throughput minute : minutes) {
            long ago = ChronoUnit.MINUTES.between(minute.at(), last);
            if (ago >= 0 && ago < SPARK_MINUTES) {
                spark[(int) (SPARK_MINUTES - 1 - ago)] = minute.completed();
            }
        }
        return spark;
    }

    private static Map<String, Object> unhandled(UnhandledType type) {
        return Map.of(
                "queue", type.queue(),
                "type", type.type(),
                "jobs", type.jobs(),
                "oldestMs", type.oldest().toMillis());
    }
}
