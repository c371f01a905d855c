package dev.jobqueue.benchmarks.measure;

import java.util.Collection;

/**
 * What several rounds measured; all NaN if none did.
 *
 * @param rounds how many
 */
public record Spread(double median, double low, double high, int rounds) {

    public static Spread of(Collection<Double> values) {
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        if (sorted.length == 0) {
            return new Spread(Double.NaN, Double.NaN, Double.NaN, 0);
        }
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }

    boolean isMeasured() {
        return rounds > 0 && !Double.isNaN(median);
    }

    String range() {
        return isMeasured() ? Results.format(low) + " - " + Results.format(high) : "-";
    }
}
