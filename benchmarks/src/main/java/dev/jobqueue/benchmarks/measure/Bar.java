package dev.jobqueue.benchmarks.measure;

/**
 * What the queue has to reach.
 *
 * @param what what is compared with what
 * @param unit what the value is
 * @param limit the least the median must be, or the most where {@code atMost}
 * @param beyond what would be better still, NaN for nothing
 */
public record Bar(String what, String unit, Spread value, boolean atMost, double limit, double beyond) {

    public static Bar atLeast(String what, String unit, Spread value, double limit, double beyond) {
        return new Bar(what, unit, value, false, limit, beyond);
    }

    public static Bar atMost(String what, String unit, Spread value, double limit, double beyond) {
        return new Bar(what, unit, value, true, limit, beyond);
    }

    String verdict() {
        if (!value.isMeasured()) {
            return "not measured";
        }
        return reaches(beyond) ? "met, and beyond" : reaches(limit) ? "met" : "NOT MET";
    }

    private boolean reaches(double other) {
        return atMost ? value.median() <= other : value.median() >= other;
    }

    String limitText() {
        return (atMost ? "<= " : ">= ") + Results.format(limit);
    }

    String beyondText() {
        return Double.isNaN(beyond) ? "-" : Results.format(beyond);
    }

    String valueText() {
        return Results.format(value.median()) + (unit.isEmpty() || !value.isMeasured() ? "" : " " + unit);
    }
}
