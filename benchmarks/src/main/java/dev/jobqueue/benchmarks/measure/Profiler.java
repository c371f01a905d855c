package dev.jobqueue.benchmarks.measure;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Where the time goes between two moments: processor time of the server by backend and of this JVM by thread, memory
 * allocated, and how the claimer and the settler of our queue spent their time.
 */
public final class Profiler {

    /** What no living thread of Java used. */
    static final String NO_THREAD = "GC, JIT, ended threads";

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final OperatingSystemMXBean SYSTEM =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    private static final String SAMPLER = "benchmark-sampler";
    private static final int SAMPLE_MILLIS = 20;

    private final Server server;
    private final Snapshot before;
    private final Map<String, Parked> parked = new TreeMap<>();
    private final Thread sampler;
    private volatile boolean running = true;

    private Profiler(Server server) {
        this.server = server;
        this.before = new Snapshot(server.postmaster());
        this.sampler = new Thread(this::sample, SAMPLER);
        this.sampler.setDaemon(true);
        this.sampler.start();
    }

    /** From now on. */
    public static Profiler start(Server server) {
        return new Profiler(server);
    }

    /**
     * Until now.
     *
     * @param jobs how many were handled meanwhile
     */
    public Profile stop(int jobs) throws SQLException, InterruptedException {
        Snapshot now = new Snapshot(server.postmaster());
        running = false;
        sampler.join();
        Map<String, Double> shares = new TreeMap<>();
        parked.forEach((name, each) -> shares.put(name, each.share()));
        double micros = 1e3 * Math.max(1, jobs);
        return new Profile(
                jobs,
                (now.at - before.at) / 1e9,
                perJob(backends(now), micros),
                perJob(threads(now), micros),
                (double) (now.allocated() - before.allocated()) / Math.max(1, jobs),
                now.claims.since(before.claims),
                now.settlements.since(before.settlements),
                shares);
    }

    private static Map<String, Double> perJob(Map<String, Long> nanos, double divisor) {
        Map<String, Double> all = new TreeMap<>();
        nanos.forEach((name, used) -> all.put(name, used / divisor));
        return all;
    }

    /** By what each backend did last, which is what it does all the time in a drain. */
    private Map<String, Long> backends(Snapshot now) throws SQLException {
        Map<Long, String> roles = server.backends();
        Map<String, Long> used = new HashMap<>();
        now.backends.forEach((pid, nanos) ->
                used.merge(roles.getOrDefault(pid, "other"), nanos - before.backends.getOrDefault(pid, 0L), Long::sum));
        long ended = before.backends.entrySet().stream()
                .filter(each -> !now.backends.containsKey(each.getKey()))
                .mapToLong(Map.Entry::getValue)
                .sum();
        used.merge("other", now.reaped - before.reaped - ended + now.postmaster - before.postmaster, Long::sum);
        return used;
    }

    /** By the name of the threads without their number; what is no thread of Java collects garbage or compiles. */
    private Map<String, Long> threads(Snapshot now) {
        Map<String, Long> used = new HashMap<>();
        now.threads.forEach((id, each) -> {
            long earlier = before.threads.containsKey(id) ? before.threads.get(id).nanos : 0;
            used.merge(each.group(), each.nanos - earlier, Long::sum);
        });
        long java = used.values().stream().mapToLong(Long::longValue).sum();
        // what looking costs is nobody's, and much beside a few jobs
        used.remove(SAMPLER);
        used.put(NO_THREAD, Math.max(0, now.jvm - before.jvm - java));
        return used;
    }

    private void sample() {
        Map<Long, Parked> watched = new HashMap<>();
        before.threads.forEach((id, each) -> {
            if (each.name.startsWith("queue-claimer") || each.name.startsWith("queue-settler")) {
                watched.put(id, parked.computeIfAbsent(each.group(), name -> new Parked()));
            }
        });
        while (running) {
            watched.forEach((id, each) -> each.look(THREADS.getThreadInfo(id)));
            try {
                Thread.sleep(SAMPLE_MILLIS);
            } catch (InterruptedException ex) {
                return;
            }
        }
    }

    /** How often threads of a group were seen, and seen with nothing to do. */
    private static final class Parked {

        private final LongAdder seen = new LongAdder();
        private final LongAdder idle = new LongAdder();

        void look(ThreadInfo thread) {
            if (thread != null) {
                seen.increment();
                Thread.State state = thread.getThreadState();
                if (state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING) {
                    idle.increment();
                }
            }
        }

        double share() {
            return (double) idle.sum() / seen.sum();
        }
    }

    private record Used(String name, long nanos, long bytes) {

        String group() {
            return name.replaceAll("[^a-zA-Z]*[0-9].*", "").replaceFirst("^queue-", "");
        }
    }

    private static final class Snapshot {

        private final long at = System.nanoTime();
        private final Map<Long, Long> backends;
        private final long reaped;
        private final long postmaster;
        private final long jvm = SYSTEM.getProcessCpuTime();
        private final Map<Long, Used> threads = new HashMap<>();
        private final QueueCounts.Sum claims = QueueCounts.OF_THIS_JVM.claims();
        private final QueueCounts.Sum settlements = QueueCounts.OF_THIS_JVM.settlements();

        Snapshot(long server) {
            long[] ids = THREADS.getAllThreadIds();
            long[] nanos = THREADS.getThreadCpuTime(ids);
            long[] bytes = THREADS.getThreadAllocatedBytes(ids);
            ThreadInfo[] infos = THREADS.getThreadInfo(ids);
            for (int i = 0; i < ids.length; i++) {
                if (infos[i] != null && nanos[i] >= 0) {
                    threads.put(ids[i], new Used(infos[i].getThreadName(), nanos[i], Math.max(0, bytes[i])));
                }
            }
            this.backends = Proc.children(server);
            this.reaped = Proc.reaped(server);
            this.postmaster = Proc.nanos(server);
        }

        /** By the threads that live. */
        long allocated() {
            return threads.values().stream().mapToLong(Used::bytes).sum();
        }
    }
}
