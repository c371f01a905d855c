package dev.jobqueue.benchmarks.measure;

import java.time.Duration;
import java.util.Locale;

/**
 * What else happens on this machine. A measurement begins in a calm moment, if one comes in time, and notes which share of
 * the processors other programs took meanwhile; only Linux tells.
 */
public final class Host {

    private static final double CALM = 0.15;

    private final long postmaster;
    private final Duration patience;

    /**
     * A machine with a server.
     *
     * @param postmaster the server, whose processes are not "others"
     * @param patience how long to wait for a calm moment
     */
    public Host(long postmaster, Duration patience) {
        this.postmaster = postmaster;
        this.patience = patience;
    }

    /** Waits for a calm moment and begins to count what others use. */
    public Watch watch() throws InterruptedException {
        System.gc();
        long end = System.nanoTime() + patience.toNanos();
        while (System.nanoTime() - end < 0) {
            Watch look = new Watch();
            Thread.sleep(250);
            if (look.foreign() <= CALM) {
                break;
            }
        }
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
