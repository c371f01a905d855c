package dev.jobqueue.benchmarks.subject;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;

/**
 * A node that publishes from a JVM of its own, told when by its standard input. The clock behind {@link
 * System#nanoTime()} is the same for all processes of a machine.
 */
public final class RemotePublisher implements AutoCloseable {

    private final Process process;
    private final Writer commands;
    private final BufferedReader answers;

    private RemotePublisher(Process process) {
        this.process = process;
        this.commands = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    public static RemotePublisher start(String url) throws IOException {
        Path java = Path.of(System.getProperty("java.home"), "bin", "java");
        Process process = new ProcessBuilder(
                        java.toString(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        RemotePublisher.class.getName(),
                        url)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "stop-remote-publisher"));
        return new RemotePublisher(process);
    }

    /** Publishes jobs one by one, with pauses of about so many milliseconds; tells when each call returned. */
    public long[] publish(long first, int count, int pauseMillis) throws IOException {
        commands.write(first + " " + count + " " + pauseMillis + "\n");
        commands.flush();
        long[] returned = new long[count];
        for (int i = 0; i < count; i++) {
            String answer = answers.readLine();
            if (answer == null) {
                throw new IOException("The other JVM ended");
            }
            returned[i] = Long.parseLong(answer);
        }
        return returned;
    }

    @Override
    public void close() throws IOException {
        commands.close();
        process.destroy();
    }

    public static void main(String[] arguments) throws Exception {
        PrintWriter out = new PrintWriter(new OutputStreamWriter(System.out, StandardCharsets.UTF_8), true);
        Random random = new Random(7);
        try (QueueNode node = QueueNode.publisher(arguments[0]);
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] words = line.split(" ", -1);
                long first = Long.parseLong(words[0]);
                int pause = Integer.parseInt(words[2]);
                for (long id = first; id < first + Long.parseLong(words[1]); id++) {
                    Thread.sleep(pause / 2 + random.nextInt(pause));
                    node.publish(id);
                    out.println(System.nanoTime());
                }
            }
        }
    }
}
