package dev.jobqueue.autoconfigure;

import dev.jobqueue.AtLimit;
import dev.jobqueue.HandlerLimit;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.LimitDefinition.Kind;
import dev.jobqueue.OnDead;
import dev.jobqueue.Rate;
import java.util.Locale;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The properties of one limit, over what the code says of it. Refuses properties that are wrong. */
final class LimitOverride {

    private static final String ACTION = "Correct the property, or leave it out to get what the code says.";

    /** Other names are written in brackets. */
    private final String name;

    private final QueueProperties.Limit values;
    private final @Nullable HandlerLimit base;

    /**
     * @param base what the code says, if it does
     */
    LimitOverride(String name, QueueProperties.Limit values, @Nullable HandlerLimit base) {
        this.name = name;
        this.values = values;
        this.base = base;
    }

    /** The limit and what it counts by. */
    HandlerLimit limit() {
        check("running", values.running(), values.running() == null || values.running() >= 1, "must be at least 1");
        check("burst", values.burst(), values.burst() == null || values.burst() >= 1, "must be at least 1");
        LimitDefinition code = base == null ? null : base.limit();
        String rateText = values.rate();
        Rate rate = rateText == null ? null : checked("rate", rateText, () -> Rate.of(rateText));
        String key = key();
        LimitDefinition limit = checked(
                "",
                null,
                () -> new LimitDefinition(
                        name,
                        or(values.kind(), code == null ? Kind.LIMIT : code.kind()),
                        values.running() == null && code != null ? code.running() : values.running(),
                        rate == null && code != null ? code.rate() : rate,
                        values.burst() == null && code != null ? code.burst() : values.burst(),
                        or(values.atLimit(), code == null ? AtLimit.WAIT : code.atLimit()),
                        or(values.onDead(), code == null ? OnDead.BLOCK : code.onDead()),
                        values.weights().isEmpty() && code != null ? code.weights() : values.weights()));
        return checked("key", key, () -> new HandlerLimit(limit, key));
    }

    /** Empty in the properties means that all jobs share the limit. */
    private @Nullable String key() {
        if (values.key() == null) {
            return base == null ? null : base.key();
        }
        return values.key().isEmpty() ? null : values.key();
    }

    private <T> T checked(String property, @Nullable String value, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (InvalidJobException ex) {
            if (property.isEmpty()) {
                throw new InvalidQueueConfigurationException(
                        "The properties below '%s' make no limit. %s.".formatted(prefix(name), ex.getMessage()),
                        "A limit needs running or rate, unless it is fifo or fair; a burst needs a rate. " + ACTION);
            }
            throw new InvalidQueueConfigurationException(
                    prefix(name) + "." + property,
                    String.valueOf(value),
                    Objects.requireNonNull(ex.getMessage()).replaceFirst("^.*': ", ""),
                    ACTION);
        }
    }

    private void check(String property, @Nullable Object value, boolean right, String rule) {
        if (value != null && !right) {
            throw new InvalidQueueConfigurationException(prefix(name) + "." + property, value, rule, ACTION);
        }
    }

    /** What the properties of a limit begin with. */
    static String prefix(String name) {
        return Spelling.property("queue.limits", name);
    }

    private static <T> T or(@Nullable T value, T fallback) {
        return value == null ? fallback : value;
    }

    /** The values of a limit that differ from the usual, for people. */
    static String text(LimitDefinition limit) {
        StringBuilder text = new StringBuilder(limit.kind().name().toLowerCase(Locale.ROOT));
        append(text, "running", limit.running());
        append(text, "rate", limit.rate());
        append(text, "burst", limit.burst());
        append(text, "at the limit", limit.atLimit() == AtLimit.WAIT ? null : limit.atLimit());
        append(text, "on dead", limit.onDead() == OnDead.BLOCK ? null : limit.onDead());
        append(text, "weights", limit.weights().isEmpty() ? null : new TreeMap<>(limit.weights()));
        return text.toString();
    }

    private static void append(StringBuilder text, String what, @Nullable Object value) {
        if (value != null) {
            text.append(", ").append(what).append(' ').append(value);
        }
    }
}
