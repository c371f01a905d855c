package dev.jobqueue.survival.ledger;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** All that the processes have written down so far; reads on from where it stopped the last time. */
public final class Ledgers {

    private final Path directory;
    private final Map<Path, Long> positions = new HashMap<>();
    private final Map<UUID, List<Entry>> byJob = new HashMap<>();
    private final Map<String, List<Entry>> byNode = new HashMap<>();
    private final Map<Verb, Set<UUID>> ids = new EnumMap<>(Verb.class);
    private final Map<Verb, Integer> counts = new EnumMap<>(Verb.class);

    public Ledgers(Path directory) {
        this.directory = directory;
    }

    public synchronized Ledgers refresh() {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(each -> each.toString().endsWith(Ledger.SUFFIX))
                    .toList()) {
                read(file);
            }
            return this;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** The jobs of which this was written, by now. */
    public synchronized Set<UUID> ids(Verb verb) {
        return new LinkedHashSet<>(ids.getOrDefault(verb, Set.of()));
    }

    public synchronized boolean has(Verb verb, UUID id) {
        return ids.getOrDefault(verb, Set.of()).contains(id);
    }

    public synchronized int count(Verb verb) {
        return counts.getOrDefault(verb, 0);
    }

    public synchronized List<Entry> ofJob(UUID id) {
        return List.copyOf(byJob.getOrDefault(id, List.of()));
    }

    public synchronized List<Entry> ofNode(String node) {
        return List.copyOf(byNode.getOrDefault(node, List.of()));
    }

    /** Jobs that handlers have begun, each with all that was written of it. */
    public synchronized Map<UUID, List<Entry>> jobs() {
        return Map.copyOf(byJob);
    }

    private void read(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        String node = name.substring(0, name.length() - Ledger.SUFFIX.length());
        try (RandomAccessFile lines = new RandomAccessFile(file.toFile(), "r")) {
            long position = positions.getOrDefault(file, 0L);
            byte[] bytes = new byte[(int) (lines.length() - position)];
            lines.seek(position);
            lines.readFully(bytes);
            int end = bytes.length;
            while (end > 0 && bytes[end - 1] != '\n') {
                // the last line is still being written
                end--;
            }
            new String(bytes, 0, end, StandardCharsets.UTF_8)
                    .lines()
                    .map(line -> Entry.parse(node, line))
                    .forEach(this::add);
            positions.put(file, position + end);
        }
    }

    private void add(Entry entry) {
        byJob.computeIfAbsent(entry.id(), id -> new ArrayList<>()).add(entry);
        byNode.computeIfAbsent(entry.node(), node -> new ArrayList<>()).add(entry);
        ids.computeIfAbsent(entry.verb(), verb -> new LinkedHashSet<>()).add(entry.id());
        counts.merge(entry.verb(), 1, Integer::sum);
    }
}
