package dev.jobqueue.benchmarks.measure;

import java.util.Arrays;

/** How long jobs waited: from the return of the publishing call to the first line of the handler, in milliseconds. */
public final class Pickups {

    private final double[] sorted;

    private Pickups(double[] sorted) {
        this.sorted = sorted;
    }

    /**
     * The pickups of jobs with consecutive ids. A job that was never handled has waited forever.
     *
     * @param first the id of the first one
     * @param returned when the call returned that published each of them
     */
    public static Pickups of(Sink sink, int first, long[] returned) {
        double[] millis = new double[returned.length];
        for (int i = 0; i < millis.length; i++) {
            long begunAt = sink.begunAt(first + i);
            millis[i] = begunAt == 0 ? Double.POSITIVE_INFINITY : Math.max(0, (begunAt - returned[i]) / 1e6);
        }
        Arrays.sort(millis);
        return new Pickups(millis);
    }

    public double p50() {
        return sorted[sorted.length / 2];
    }

    public double p99() {
        return sorted[(int) (sorted.length * 0.99)];
    }
}
