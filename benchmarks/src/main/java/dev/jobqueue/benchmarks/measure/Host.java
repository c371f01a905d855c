package dev.jobqueue.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * What else happens on this machine. A measurement begins in a calm moment, if one comes in time, and notes which share of
 * the processors other programs took meanwhile; only Linux tells.
 */
public final class Host {

    private static final double CALM = 0.15;
    private static final Path PROC = Path.of("/proc");

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
            long[] now = processors();
            this.total = now[0];
            this.idle = now[1];
            this.own = ownTicks();
        }

        /** The share of all processors that other programs used since. */
        public double foreign() {
            long[] now = processors();
            long passed = now[0] - total;
            long busy = passed - (now[1] - idle);
            return passed <= 0 ? 0 : Math.max(0, (double) (busy - (ownTicks() - own)) / passed);
        }
    }

    public static String describe() {
        String processor = lines(PROC.resolve("cpuinfo")).stream()
                .filter(line -> line.startsWith("model name"))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse(System.getProperty("os.arch"));
        return String.format(
                Locale.ROOT,
                "%s, %d cores; Java %s (%s), %s %s",
                processor,
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("java.version"),
                System.getProperty("java.vendor"),
                System.getProperty("os.name"),
                System.getProperty("os.version"));
    }

    /** Ticks of all processors: total, idle. */
    private static long[] processors() {
        List<String> lines = lines(PROC.resolve("stat"));
        if (lines.isEmpty()) {
            return new long[2];
        }
        String[] fields = lines.get(0).split(" +", -1);
        long total = 0;
        for (int i = 1; i <= 8; i++) {
            total += Long.parseLong(fields[i]);
        }
        return new long[] {total, Long.parseLong(fields[4]) + Long.parseLong(fields[5])};
    }

    /** Ticks of this program and the server, with their children. */
    private long ownTicks() {
        long self = ProcessHandle.current().pid();
        try (Stream<Path> processes = Files.list(PROC)) {
            return processes
                    .map(path -> path.getFileName().toString())
                    .filter(name -> Character.isDigit(name.charAt(0)))
                    .mapToLong(pid -> ticks(Long.parseLong(pid), self))
                    .sum();
        } catch (IOException ex) {
            return 0;
        }
    }

    private long ticks(long pid, long self) {
        List<String> lines = lines(PROC.resolve(Long.toString(pid)).resolve("stat"));
        if (lines.isEmpty()) {
            return 0;
        }
        String[] fields =
                lines.get(0).substring(lines.get(0).lastIndexOf(')') + 2).split(" ", -1);
        long parent = Long.parseLong(fields[1]);
        long used = Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        if (pid == self || pid == postmaster) {
            return used + Long.parseLong(fields[13]) + Long.parseLong(fields[14]);
        }
        return parent == self || parent == postmaster ? used : 0;
    }

    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException ex) {
            // not Linux, or the process ended
            return List.of();
        }
    }
}
