package dev.jobqueue.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
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
        double seconds = (System.nanoTime() - began) / 1e9;
        write(
                String.format(
                        Locale.ROOT,
                        "%.1f\t%d\t%s\t%s\t%.4f\t%s\t%.2f%n",
                        seconds,
                        round,
                        metric,
                        subject,
                        value,
                        unit,
                        others),
                StandardOpenOption.APPEND);
        System.out.printf(
                Locale.ROOT,
                "[%5.0f s] round %d  %-44s %-46s %10s %s%s%n",
                seconds,
                round,
                metric,
                subject,
                format(value),
                unit,
                others > DISTURBED ? String.format(Locale.ROOT, "  (others took %.0f %%)", others * 100) : "");
    }

    /** Prints what no table holds. */
    public void tell(String text) {
        System.out.println("          " + text);
    }

    public synchronized void note(String text) {
        notes.add(text);
        tell(text);
    }

    synchronized List<String> notes() {
        return List.copyOf(notes);
    }

    synchronized String disturbance() {
        return "%d samples, others took more than %.0f %% of the processors during %d of them"
                .formatted(count, DISTURBED * 100, disturbed);
    }

    synchronized Map<String, Map<String, SortedMap<Integer, Double>>> all() {
        return samples;
    }

    String unit(String metric) {
        return units.getOrDefault(metric, "");
    }

    /** The median of a subject, NaN if it was not measured. */
    public double median(String metric, String subject) {
        return median(rounds(metric, subject).values().stream().toList());
    }

    /** The median of the ratios round by round, so that what disturbs a whole round cancels out. */
    public double ratio(String metric, String subject, String reference) {
        return ratio(rounds(metric, subject), rounds(metric, reference));
    }

    /** The same, against whichever of the references was best in that round. */
    public double ratioToBest(String metric, String subject, List<String> references) {
        SortedMap<Integer, Double> best = new TreeMap<>();
        references.forEach(each -> rounds(metric, each).forEach((round, value) -> best.merge(round, value, Math::max)));
        return ratio(rounds(metric, subject), best);
    }

    private static double ratio(Map<Integer, Double> values, Map<Integer, Double> references) {
        List<Double> ratios = new ArrayList<>();
        values.forEach((round, value) -> {
            Double reference = references.get(round);
            if (reference != null && reference != 0) {
                ratios.add(value / reference);
            }
        });
        return median(ratios);
    }

    private synchronized SortedMap<Integer, Double> rounds(String metric, String subject) {
        return samples.getOrDefault(metric, Map.of()).getOrDefault(subject, new TreeMap<>());
    }

    public static double median(List<Double> values) {
        if (values.isEmpty()) {
            return Double.NaN;
        }
        double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static String format(double value) {
        if (Double.isNaN(value)) {
            return "-";
        }
        double size = Math.abs(value);
        String pattern = size >= 1000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
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
