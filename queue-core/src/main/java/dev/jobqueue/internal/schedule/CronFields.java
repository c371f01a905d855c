package dev.jobqueue.internal.schedule;

import dev.jobqueue.InvalidJobException;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.springframework.scheduling.support.CronExpression;

/** A cron expression taken apart, with errors that name the field. */
final class CronFields {

    private static final List<String> NAMES =
            List.of("second", "minute", "hour", "day of month", "month", "day of week");
    private static final int HOUR = 2;
    private static final int DAY_OF_MONTH = 3;
    private static final int DAY_OF_WEEK = 5;

    private static final Map<String, String> WORDS = Map.of(
            "@yearly", "0 0 0 1 1 *",
            "@annually", "0 0 0 1 1 *",
            "@monthly", "0 0 0 1 * *",
            "@weekly", "0 0 0 * * 0",
            "@daily", "0 0 0 * * *",
            "@midnight", "0 0 0 * * *",
            "@hourly", "0 0 * * * *");

    private static final Set<String> EVERY_HOUR = Set.of("*", "*/1", "0-23", "0/1");

    /** What a reading must be tried on to see whether it is ever due; any day does, because days repeat. */
    private static final LocalDateTime ANY_DAY = LocalDateTime.of(2000, 1, 1, 0, 0);

    private final String expression;
    private final List<String> fields;
    private final boolean isCrontab;

    private CronFields(String expression, List<String> fields, boolean isCrontab) {
        this.expression = expression;
        this.fields = fields;
        this.isCrontab = isCrontab;
    }

    static CronFields parse(String expression) {
        String trimmed = expression.trim();
        if (trimmed.startsWith("@")) {
            String meaning = WORDS.get(trimmed.toLowerCase(Locale.ROOT));
            if (meaning == null) {
                throw new InvalidJobException(
                        ("cron is '%s': must be one of @yearly, @annually, @monthly, @weekly, @daily, @midnight"
                                        + " and @hourly")
                                .formatted(expression));
            }
            trimmed = meaning;
        }
        List<String> fields = new ArrayList<>(Arrays.asList(trimmed.split("\\s+")));
        boolean isCrontab = fields.size() == NAMES.size() - 1;
        if (isCrontab) {
            fields.add(0, "0");
        }
        if (fields.size() != NAMES.size()) {
            throw new InvalidJobException(
                    ("cron is '%s': must have five fields (minute hour day-of-month month day-of-week), or six"
                                    + " with the second before them, and not %d")
                            .formatted(expression, trimmed.isEmpty() ? 0 : fields.size()));
        }
        return new CronFields(expression, fields, isCrontab);
    }

    /** What is due when one of these is. */
    List<CronExpression> alternatives() {
        for (int i = 0; i < fields.size(); i++) {
            check(i);
        }
        List<CronExpression> alternatives = isEitherDay()
                ? List.of(with(DAY_OF_MONTH, "*"), with(DAY_OF_WEEK, "*"))
                : List.of(CronExpression.parse(String.join(" ", fields)));
        if (alternatives.stream().allMatch(each -> each.next(ANY_DAY) == null)) {
            throw new InvalidJobException("cron is '%s': the day of month '%s' never comes in the month '%s'"
                    .formatted(expression, fields.get(DAY_OF_MONTH), fields.get(DAY_OF_MONTH + 1)));
        }
        return alternatives;
    }

    boolean isEveryHour() {
        return EVERY_HOUR.contains(fields.get(HOUR));
    }

    /**
     * In a crontab, a day of month and a day of week together mean one or the other; with six fields they mean both.
     */
    private boolean isEitherDay() {
        return isCrontab && isRestricted(fields.get(DAY_OF_MONTH)) && isRestricted(fields.get(DAY_OF_WEEK));
    }

    private static boolean isRestricted(String field) {
        return !field.startsWith("*") && !field.equals("?");
    }

    private CronExpression with(int index, String field) {
        List<String> changed = new ArrayList<>(fields);
        changed.set(index, field);
        return CronExpression.parse(String.join(" ", changed));
    }

    private void check(int index) {
        List<String> alone = new ArrayList<>(List.of("*", "*", "*", "*", "*", "*"));
        alone.set(index, fields.get(index));
        try {
            CronExpression.parse(String.join(" ", alone));
        } catch (RuntimeException ex) {
            Throwable cause = ex.getCause() == null ? ex : ex.getCause();
            throw new InvalidJobException(
                    "cron is '%s': the %s '%s' is wrong (%s)"
                            .formatted(expression, NAMES.get(index), fields.get(index), cause.getMessage()),
                    ex);
        }
    }
}
