package dev.jobqueue.benchmarks.measure;

/**
 * What the queue has to reach.
 *
 * @param what what is compared with what
 * @param unit what the value is
 * @param limit the least the median must be, or the most where {@code atMost}
 */
public record Bar(String what, String unit, Spread value, boolean atMost, double limit) {

    /** Two runs on the same machine differ by as much, so a figure that misses its limit by less counts as met. */
    private static final double TOLERANCE = 0.1;

    public static Bar atLeast(String what, String unit, Spread value, double limit) {
        return new Bar(what, unit, value, false, limit);
    }

    public static Bar atMost(String what, String unit, Spread value, double limit) {
        return new Bar(what, unit, value, true, limit);
    }

    String verdict() {
        if (!value.isMeasured()) {
            return "not measured";
        }
        return reaches(0) ? "met" : reaches(TOLERANCE) ? "met within 10 %" : "NOT MET";
    }

    private boolean reaches(double tolerance) {
        return atMost ? value.median() <= limit * (1 + tolerance) : value.median() >= limit * (1 - tolerance);
    }

    String limitText() {
        return (atMost ? "<= " : ">= ") + Results.format(limit);
    }

    String valueText() {
        return Results.format(value.median()) + (unit.isEmpty() || !value.isMeasured() ? "" : " " + unit);
    }
}
