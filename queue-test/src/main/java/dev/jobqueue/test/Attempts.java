package dev.jobqueue.test;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The attempts of one call, and how many there may be: jobs that publish themselves would go on for ever. */
final class Attempts {

    static final int USUAL_LIMIT = 10_000;

    private final Map<String, Integer> byType = new TreeMap<>();
    private int limit = USUAL_LIMIT;
    private int stops;

    void limit(int most) {
        limit = most;
    }

    void startAnew() {
        byType.clear();
        stops = 0;
    }

    void add(String type) {
        byType.merge(type, 1, Integer::sum);
    }

    int count() {
        return byType.values().stream().mapToInt(Integer::intValue).sum();
    }

    void refuseMoreThanTheLimit() {
        if (count() > limit) {
            throw new AssertionError(("There were more than %,d attempts, and more jobs may be due: %s. Do jobs publish"
                            + " themselves, or does a schedule fire that often? Call limit(...) if so many are right.")
                    .formatted(limit, counts()));
        }
    }

    /** Time passes, and stops where something is due: for ever, if that is a schedule whose jobs nobody handles. */
    void stop() {
        if (++stops > limit) {
            throw new AssertionError(("Something was due more than %,d times while time passed. Does a schedule fire"
                            + " that often? Call limit(...) if so many are right.")
                    .formatted(limit));
        }
    }

    private String counts() {
        return byType.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(each -> "'%s' %d times".formatted(each.getKey(), each.getValue()))
                .collect(Collectors.joining(", "));
    }
}
