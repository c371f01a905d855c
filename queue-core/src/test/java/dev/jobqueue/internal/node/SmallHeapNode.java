package dev.jobqueue.internal.node;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** A node in a process of its own that has little memory. Its handler fills all of it once, for more than a second. */
final class SmallHeapNode {

    private static final int FILLING = 20;

    private SmallHeapNode() {}

    public static void main(String[] args) throws IOException {
        AtomicInteger jobs = new AtomicInteger();
        DriverManagerDataSource database = new DriverManagerDataSource(args[0], args[1], args[2]);
        LocalNode.worker(database, null, 4, (payload, job) -> jobs.incrementAndGet() == FILLING ? fillTheHeap() : 0)
                .start();
        // ends with whoever started it, and before that not
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0);
    }

    private static int fillTheHeap() throws InterruptedException {
        List<byte[]> all = new ArrayList<>();
        long end = System.nanoTime() + 1_500_000_000L;
        int size = 1 << 20;
        while (System.nanoTime() - end < 0) {
            try {
                all.add(new byte[size]);
            } catch (OutOfMemoryError ex) {
                size = Math.max(16, size / 2);
                Thread.sleep(1);
            }
        }
        return all.size();
    }

    static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx64m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlogback.configurationFile=" + System.getProperty("logback.configurationFile", ""),
                "-cp",
                System.getProperty("java.class.path"),
                SmallHeapNode.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }
}
