package dev.jobqueue.survival.node;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Ties a process to the one that started it, however that ends; what comes along it are commands. */
final class Leash {

    private static final int CUT = 3;

    private final CompletableFuture<Consumer<String>> commands = new CompletableFuture<>();

    private Leash() {}

    static Leash hold() {
        Leash leash = new Leash();
        Thread thread = new Thread(leash::follow, "leash");
        thread.setDaemon(true);
        thread.start();
        return leash;
    }

    /** From now on commands are obeyed, those that came before included. */
    void obey(Consumer<String> commands) {
        this.commands.complete(commands);
    }

    private void follow() {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String command = line;
                commands.thenAccept(consumer -> consumer.accept(command)).join();
            }
        } catch (IOException ex) {
            // cut, too
        }
        Runtime.getRuntime().halt(CUT);
    }
}
