package dev.jobqueue;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many jobs start in a time.
 *
 * @param starts how many, at least 1
 * @param period in which time, from 1 ms to 10 years
 */
public record Rate(int starts, Duration period) {

    private static final Pattern TEXT = Pattern.compile("(\\d{1,9})\\s*/\\s*(\\d{0,9})(ms|s|m|h|d)");

    private static final List<Map.Entry<String, ChronoUnit>> UNITS = List.of(
            Map.entry("d", ChronoUnit.DAYS),
            Map.entry("h", ChronoUnit.HOURS),
            Map.entry("m", ChronoUnit.MINUTES),
            Map.entry("s", ChronoUnit.SECONDS),
            Map.entry("ms", ChronoUnit.MILLIS));

    /**
     * Create a rate.
     *
     * @param starts how many, at least 1
     * @param period in which time, from 1 ms to 10 years
     */
    public Rate {
        Objects.requireNonNull(period, "period");
        if (starts < 1) {
            throw new InvalidJobException("rate is '%d': must be at least 1".formatted(starts));
        }
        Ranges.requireTimeout("period", period);
    }

    /**
     * Read a rate such as {@code 100/s}, {@code 100/10s} or {@code 5000/1h}.
     *
     * @param text starts, a slash, and a time in ms, s, m, h or d
     * @return the rate
     * @throws InvalidJobException if the text is no rate
     */
    public static Rate of(String text) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches()) {
            throw new InvalidJobException("rate is '%s': must be written as 100/s, 100/10s or 5000/1h".formatted(text));
        }
        String unit = matcher.group(3);
        long many = matcher.group(2).isEmpty() ? 1 : Long.parseLong(matcher.group(2));
        ChronoUnit known = UNITS.stream()
                .filter(each -> each.getKey().equals(unit))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElseThrow();
        return new Rate(Integer.parseInt(matcher.group(1)), Duration.of(many, known));
    }

    /** {@return the rate as it is written, such as {@code 100/10s}} */
    @Override
    public String toString() {
        for (Map.Entry<String, ChronoUnit> unit : UNITS) {
            Duration one = unit.getValue().getDuration();
            long many = period.dividedBy(one);
            if (many > 0 && one.multipliedBy(many).equals(period)) {
                return "%d/%s%s".formatted(starts, many == 1 ? "" : many, unit.getKey());
            }
        }
        return "%d/%s".formatted(starts, period);
    }
}
