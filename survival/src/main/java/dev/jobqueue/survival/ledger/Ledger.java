package dev.jobqueue.survival.ledger;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;

/** The book of one process: lines are handed to the operating system one by one, so a kill loses none. */
public final class Ledger {

    static final String SUFFIX = ".ledger";

    private static final UUID NOBODY = new UUID(0, 0);

    private final String node;

    /** Not a channel: one interrupted thread would close it for all. */
    private final FileOutputStream file;

    private Ledger(String node, FileOutputStream file) {
        this.node = node;
        this.file = file;
    }

    public static Ledger open(Path directory, String node) {
        try {
            return new Ledger(
                    node, new FileOutputStream(directory.resolve(node + SUFFIX).toFile(), true));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    public void ready() {
        write(new Entry(node, System.nanoTime(), Verb.READY, NOBODY, 0, 0, Long.toString(System.currentTimeMillis())));
    }

    public void write(Verb verb, UUID id) {
        write(new Entry(node, System.nanoTime(), verb, id, 0, 0, "-"));
    }

    public void write(long nanos, Verb verb, UUID id, long lease, int attempt, String detail) {
        write(new Entry(node, nanos, verb, id, lease, attempt, detail));
    }

    private synchronized void write(Entry entry) {
        try {
            file.write(entry.format().getBytes(StandardCharsets.UTF_8));
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
