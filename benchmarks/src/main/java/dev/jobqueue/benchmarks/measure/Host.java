package dev.jobqueue.benchmarks.measure;

import java.time.Duration;
import java.util.Locale;

/**
 * What else happens on this machine. A measurement begins in a calm moment, if one comes in time, and notes which share
 * of the processors other programs took meanwhile; only Linux tells.
 */
public final class Host {

    private static final double CALM = 0.15;
    private static final long LOOK_MILLIS = 250;
    private static final long MOST_NANOS = 10_000_000_000L;

    private final long postmaster;
    private long patienceNanos;

    /**
     * A machine with a server.
     *
     * @param postmaster the server, whose processes are not "others"
     * @param patience how long to wait for calm moments, all in all
     */
    public Host(long postmaster, Duration patience) {
        this.postmaster = postmaster;
        this.patienceNanos = patience.toNanos();
    }

    /** Waits for a calm moment and begins to count what others use. */
    public Watch watch() throws InterruptedException {
        System.gc();
        long began = System.nanoTime();
        long most = Math.min(MOST_NANOS, patienceNanos);
        boolean calm = false;
        while (!calm && System.nanoTime() - began < most) {
            Watch look = new Watch();
            Thread.sleep(LOOK_MILLIS);
            calm = look.foreign() <= CALM;
        }
        patienceNanos -= Math.max(0, System.nanoTime() - began - LOOK_MILLIS * 1_000_000);
        return new Watch();
    }

    /** From a moment on. */
    public final class Watch {

        private final long total;
        private final long idle;
        private final long own;

        private Watch() {
            long[] now = Proc.processors();
            this.total = now[0];
            this.idle = now[1];
            this.own = ownTicks();
        }

        /** The share of all processors that other programs used since. */
        public double foreign() {
            long[] now = Proc.processors();
            long passed = now[0] - total;
            long busy = passed - (now[1] - idle);
            return passed <= 0 ? 0 : Math.max(0, (double) (busy - (ownTicks() - own)) / passed);
        }
    }

    public static String describe() {
        String processor = Proc.value("cpuinfo", "model name");
        return String.format(
                Locale.ROOT,
                "%s, %d cores, %s memory; Java %s (%s), %s %s",
                processor.isEmpty() ? System.getProperty("os.arch") : processor,
                Runtime.getRuntime().availableProcessors(),
                Proc.value("meminfo", "MemTotal"),
                System.getProperty("java.version"),
                System.getProperty("java.vendor"),
                System.getProperty("os.name"),
                System.getProperty("os.version"));
    }

    /** Ticks of this program and the server, with their children. */
    private long ownTicks() {
        return Proc.ticks(ProcessHandle.current().pid(), postmaster);
    }
}
