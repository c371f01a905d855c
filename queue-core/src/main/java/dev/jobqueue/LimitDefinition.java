package dev.jobqueue;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A limit as it is set: a rule with a name, which holds for each key on its own, over all nodes. Immutable; the methods
 * that take a value return a changed copy.
 *
 * <pre>{@code
 * LimitDefinition.ofRunning("crm", 2).rate(Rate.of("100/10s"))
 * }</pre>
 *
 * @param name the name
 * @param kind what it does
 * @param running how many run at once; {@code null} for any number. Of FIFO: how many one claim may take together, to
 *     be handled one after the other; {@code null} for one
 * @param rate how many start in a time; {@code null} for any number
 * @param burst how many of the rate may start at once; {@code null} for what it lets start in a tenth of a second
 * @param atLimit what becomes of jobs that cannot start
 * @param onDead what becomes of a FIFO lane behind a dead job
 * @param weights how many jobs of a key start in its turn, by key, {@code *} for all others; from 1 to 1,000
 */
public record LimitDefinition(
        String name,
        Kind kind,
        @Nullable Integer running,
        @Nullable Rate rate,
        @Nullable Integer burst,
        AtLimit atLimit,
        OnDead onDead,
        Map<String, Integer> weights) {

    private static final int HIGHEST_WEIGHT = 1000;
    private static final int LONGEST_RUN = 1000;

    /** What a limit does. */
    public enum Kind {
        /** So many run at once, or start in a time. */
        LIMIT,
        /** One runs at a time, in the order of publishing; or a claim takes several to be handled in that order. */
        FIFO,
        /** Keys take turns. */
        FAIR
    }

    /**
     * Create a limit; the factories are easier to read.
     *
     * @param name the name
     * @param kind what it does
     * @param running how many run at once; {@code null} for any number, and for one of FIFO
     * @param rate how many start in a time; {@code null} for any number
     * @param burst how many of the rate may start at once; {@code null} for what it lets start in a tenth of a second
     * @param atLimit what becomes of jobs that cannot start
     * @param onDead what becomes of a FIFO lane behind a dead job
     * @param weights how many jobs of a key start in its turn, by key
     * @throws InvalidJobException that names the value and the rule
     */
    public LimitDefinition {
        require(!name.isBlank(), "name", name, "must not be blank");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(atLimit, "atLimit");
        Objects.requireNonNull(onDead, "onDead");
        require(running == null || running >= 1, "running", running, "must be at least 1");
        require(burst == null || burst >= 1, "burst", burst, "must be at least 1");
        require(burst == null || rate != null, "burst", burst, "belongs to a rate, and there is none");
        require(kind != Kind.LIMIT || running != null || rate != null, "running", running, "must be given, or a rate");
        require(
                kind != Kind.FIFO || running == null || running <= LONGEST_RUN,
                "running",
                running,
                "must be at most " + LONGEST_RUN + " for FIFO");
        require(kind != Kind.FIFO || atLimit == AtLimit.WAIT, "atLimit", atLimit, "must be WAIT for FIFO");
        running = kind == Kind.FIFO && Integer.valueOf(1).equals(running) ? null : running;
        weights = Map.copyOf(weights);
        weights.forEach((key, weight) -> require(
                weight >= 1 && weight <= HIGHEST_WEIGHT,
                "weight of '" + key + "'",
                weight,
                "must be from 1 to " + HIGHEST_WEIGHT));
    }

    private static void require(boolean right, String what, @Nullable Object value, String rule) {
        if (!right) {
            throw new InvalidJobException(
                    "%s is %s: %s".formatted(what, value == null ? "null" : "'" + value + "'", rule));
        }
    }

    /**
     * Define that so many jobs of a key run at once.
     *
     * @param name the name
     * @param running how many, at least 1
     * @return the limit
     */
    public static LimitDefinition ofRunning(String name, int running) {
        return new LimitDefinition(name, Kind.LIMIT, running, null, null, AtLimit.WAIT, OnDead.BLOCK, Map.of());
    }

    /**
     * Define that so many jobs of a key start in a time.
     *
     * @param name the name
     * @param rate how many
     * @return the limit
     */
    public static LimitDefinition ofRate(String name, Rate rate) {
        return new LimitDefinition(name, Kind.LIMIT, null, rate, null, AtLimit.WAIT, OnDead.BLOCK, Map.of());
    }

    /**
     * Define that jobs of a key run one at a time, in the order of publishing.
     *
     * @param name the name
     * @return the limit
     */
    public static LimitDefinition ofFifo(String name) {
        return new LimitDefinition(name, Kind.FIFO, null, null, null, AtLimit.WAIT, OnDead.BLOCK, Map.of());
    }

    /**
     * Define that keys take turns.
     *
     * @param name the name
     * @return the limit
     */
    public static LimitDefinition ofFairShare(String name) {
        return new LimitDefinition(name, Kind.FAIR, null, null, null, AtLimit.WAIT, OnDead.BLOCK, Map.of());
    }

    /**
     * Set how many run at once. Of FIFO: how many one claim may take of a lane together, as a series of consecutive
     * jobs. Whoever claims them has to handle them one after the other, so this is nothing for handlers of single jobs.
     *
     * @param running how many, at least 1, and at most 1,000 for FIFO; {@code null} for any number, and for one of FIFO
     * @return a changed copy
     */
    public LimitDefinition running(@Nullable Integer running) {
        return new LimitDefinition(name, kind, running, rate, burst, atLimit, onDead, weights);
    }

    /**
     * Set how many start in a time.
     *
     * @param rate how many; {@code null} for any number, then also without a burst
     * @return a changed copy
     */
    public LimitDefinition rate(@Nullable Rate rate) {
        return new LimitDefinition(name, kind, running, rate, rate == null ? null : burst, atLimit, onDead, weights);
    }

    /**
     * Set how many of the rate may start at once.
     *
     * @param burst how many, at least 1; {@code null} for what the rate lets start in a tenth of a second
     * @return a changed copy
     */
    public LimitDefinition burst(@Nullable Integer burst) {
        return new LimitDefinition(name, kind, running, rate, burst, atLimit, onDead, weights);
    }

    /**
     * Set what becomes of jobs that cannot start.
     *
     * @param atLimit what becomes of them
     * @return a changed copy
     */
    public LimitDefinition atLimit(AtLimit atLimit) {
        return new LimitDefinition(name, kind, running, rate, burst, atLimit, onDead, weights);
    }

    /**
     * Set what becomes of a FIFO lane behind a dead job.
     *
     * @param onDead what becomes of it
     * @return a changed copy
     */
    public LimitDefinition onDead(OnDead onDead) {
        return new LimitDefinition(name, kind, running, rate, burst, atLimit, onDead, weights);
    }

    /**
     * Set how many jobs of a key start in its turn, compared with other keys.
     *
     * @param key the key; {@code *} for all others
     * @param weight how many, from 1 to 1,000
     * @return a changed copy
     */
    public LimitDefinition weight(String key, int weight) {
        Map<String, Integer> changed = new LinkedHashMap<>(weights);
        changed.put(key, weight);
        return new LimitDefinition(name, kind, running, rate, burst, atLimit, onDead, changed);
    }
}
