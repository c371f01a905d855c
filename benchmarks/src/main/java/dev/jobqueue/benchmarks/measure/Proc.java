package dev.jobqueue.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Processor time of processes as Linux tells it; other systems tell nothing, and everything is 0. */
final class Proc {

    private static final Path PROC = Path.of("/proc");
    private static final long TICK_NANOS = 10_000_000;
    private static final int PARENT = 1;
    private static final int USER = 11;
    private static final int SYSTEM = 12;
    private static final int REAPED_USER = 13;
    private static final int REAPED_SYSTEM = 14;

    private Proc() {}

    /** The children of a process, with the nanoseconds each has used; exact where they have one thread. */
    static Map<Long, Long> children(long parent) {
        Map<Long, Long> used = new HashMap<>();
        for (long pid : pids()) {
            String[] fields = stat(pid);
            if (fields.length > PARENT && Long.parseLong(fields[PARENT]) == parent) {
                used.put(pid, nanos(pid));
            }
        }
        return used;
    }

    /** Nanoseconds used by the first thread of a process. */
    static long nanos(long pid) {
        List<String> lines = lines(process(pid).resolve("schedstat"));
        return lines.isEmpty() ? 0 : Long.parseLong(lines.get(0).split(" ", -1)[0]);
    }

    /** Nanoseconds used by the children of a process that have ended. */
    static long reaped(long pid) {
        String[] fields = stat(pid);
        return fields.length == 0
                ? 0
                : (Long.parseLong(fields[REAPED_USER]) + Long.parseLong(fields[REAPED_SYSTEM])) * TICK_NANOS;
    }

    /** Ticks used by the two processes and their children, those that ended too. */
    static long ticks(long one, long other) {
        long sum = 0;
        for (long pid : pids()) {
            String[] fields = stat(pid);
            if (fields.length == 0) {
                continue;
            }
            long parent = Long.parseLong(fields[PARENT]);
            boolean chosen = pid == one || pid == other;
            if (chosen || parent == one || parent == other) {
                sum += Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM]);
            }
            if (chosen) {
                sum += Long.parseLong(fields[REAPED_USER]) + Long.parseLong(fields[REAPED_SYSTEM]);
            }
        }
        return sum;
    }

    /** Ticks of all processors: total, idle. */
    static long[] processors() {
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

    /** The value of a line "name : value" or "name: value" of a file, or nothing. */
    static String value(String file, String name) {
        return lines(PROC.resolve(file)).stream()
                .filter(line -> line.startsWith(name))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("");
    }

    private static List<Long> pids() {
        try (Stream<Path> processes = Files.list(PROC)) {
            return processes
                    .map(path -> path.getFileName().toString())
                    .filter(name -> Character.isDigit(name.charAt(0)))
                    .map(Long::valueOf)
                    .toList();
        } catch (IOException ex) {
            return List.of();
        }
    }

    /** What follows the name, which may have blanks. */
    private static String[] stat(long pid) {
        List<String> lines = lines(process(pid).resolve("stat"));
        return lines.isEmpty()
                ? new String[0]
                : lines.get(0).substring(lines.get(0).lastIndexOf(')') + 2).split(" ", -1);
    }

    private static Path process(long pid) {
        return PROC.resolve(Long.toString(pid));
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
