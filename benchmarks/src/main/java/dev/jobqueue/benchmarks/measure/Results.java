package dev.jobqueue.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Every sample: by metric and subject, one per round. */
public final class Results {

    private static final double DISTURBED = 0.15;

    private final Map<String, Map<String, SortedMap<Integer, Double>>> samples = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();
    private final Map<String, Map<String, List<Double>>> costs = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final Path file;
    private final long began = System.nanoTime();
    private int disturbed;
    private int count;

    /**
     * Starts a new file.
     *
     * @param file every sample is appended to it at once
     */
    public Results(Path file) {
        this.file = file;
        write("seconds\tround\tmetric\tsubject\tvalue\tunit\tothers\n", StandardOpenOption.TRUNCATE_EXISTING);
    }

    /**
     * Notes a sample.
     *
     * @param others the share of the processors that other programs used meanwhile
     */
    public synchronized void add(int round, String metric, String subject, double value, String unit, double others) {
        samples.computeIfAbsent(metric, key -> new LinkedHashMap<>())
                .computeIfAbsent(subject, key -> new TreeMap<>())
                .put(round, value);
        units.put(metric, unit);
        count++;
        disturbed += others > DISTURBED ? 1 : 0;
        String figures = String.format(Locale.ROOT, "%.4f\t%s\t%.2f", value, unit, others);
        write(
                String.join("\t", Long.toString(seconds()), Integer.toString(round), metric, subject, figures) + "\n",
                StandardOpenOption.APPEND);
        System.out.printf(
                Locale.ROOT,
                "[%4d s] round %d  %-42s %-44s %10s %s%s%n",
                seconds(),
                round,
                metric,
                subject,
                format(value),
                unit,
                others > DISTURBED ? String.format(Locale.ROOT, "  (others took %.0f %%)", others * 100) : "");
    }

    /** Notes what draining one job took, for the table of costs. */
    public synchronized void addCosts(int round, String subject, Map<String, Double> each) {
        each.forEach((what, value) -> {
            costs.computeIfAbsent(subject, key -> new LinkedHashMap<>())
                    .computeIfAbsent(what, key -> new ArrayList<>())
                    .add(value);
            String figure = String.format(Locale.ROOT, "%.4f", value);
            write(
                    String.join(
                                    "\t",
                                    Long.toString(seconds()),
                                    Integer.toString(round),
                                    "cost: " + what,
                                    subject,
                                    figure)
                            + "\n",
                    StandardOpenOption.APPEND);
        });
    }

    public long seconds() {
        return (System.nanoTime() - began) / 1_000_000_000;
    }

    /** Prints what no table holds. */
    public void tell(String text) {
        System.out.println("          " + text);
    }

    public synchronized void note(String text) {
        if (!notes.contains(text)) {
            notes.add(text);
            tell(text);
        }
    }

    synchronized List<String> notes() {
        return List.copyOf(notes);
    }

    synchronized String disturbance() {
        return "%d samples in %d minutes; others took more than %.0f %% of the processors during %d of them"
                .formatted(count, Math.round(seconds() / 60.0), DISTURBED * 100, disturbed);
    }

    synchronized Map<String, Map<String, SortedMap<Integer, Double>>> all() {
        return samples;
    }

    synchronized Map<String, Map<String, List<Double>>> costs() {
        return costs;
    }

    String unit(String metric) {
        return units.getOrDefault(metric, "");
    }

    /** What the rounds measured of a subject. */
    public Spread of(String metric, String subject) {
        return Spread.of(rounds(metric, subject).values());
    }

    /** What the rounds measured of a cost of draining. */
    public synchronized Spread cost(String subject, String what) {
        return Spread.of(costs.getOrDefault(subject, Map.of()).getOrDefault(what, List.of()));
    }

    /** The ratios round by round, so that what disturbs a whole round cancels out. */
    public Spread ratio(String metric, String subject, String reference) {
        List<Double> ratios = new ArrayList<>();
        Map<Integer, Double> references = rounds(metric, reference);
        rounds(metric, subject).forEach((round, value) -> {
            Double other = references.get(round);
            if (other != null && other != 0) {
                ratios.add(value / other);
            }
        });
        return Spread.of(ratios);
    }

    /** The ratio to the reference with the best median: a tuning is chosen once, not anew in each round. */
    public Spread ratioToBest(String metric, String subject, List<String> references) {
        return references.stream()
                .filter(each -> of(metric, each).isMeasured())
                .max(Comparator.comparing(each -> of(metric, each).median()))
                .map(best -> ratio(metric, subject, best))
                .orElse(Spread.of(List.of()));
    }

    private synchronized SortedMap<Integer, Double> rounds(String metric, String subject) {
        return samples.getOrDefault(metric, Map.of()).getOrDefault(subject, new TreeMap<>());
    }

    static String format(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String pattern = size >= 1000
                ? "%,.0f"
                : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : size >= 0.1 || size == 0 ? "%.2f" : "%.4f";
        return String.format(Locale.ROOT, pattern, value);
    }

    private void write(String line, StandardOpenOption option) {
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, option);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
