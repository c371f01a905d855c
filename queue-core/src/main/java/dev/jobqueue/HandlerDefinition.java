package dev.jobqueue;

import dev.jobqueue.spi.BundleFunction;
import java.lang.reflect.Type;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A handler given as code instead of by {@link JobHandler}: for libraries, or for types known only at run time. In a
 * Spring application it is enough to declare one as a bean. Immutable; each method returns a changed copy.
 *
 * <pre>{@code
 * HandlerDefinition.of("report.build", Report.class, (report, job) -> build(report)).queue("reports")
 * }</pre>
 */
public final class HandlerDefinition {

    /** The queue of jobs whose publisher and handler name none. */
    public static final String DEFAULT_QUEUE = "default";

    private static final int MOST_AT_ONCE = 1_000;

    private final Draft draft;

    private HandlerDefinition(Draft draft) {
        this.draft = draft;
    }

    private HandlerDefinition copy(Consumer<Draft> change) {
        Draft copy = new Draft(draft);
        change.accept(copy);
        return new HandlerDefinition(copy);
    }

    /**
     * Define a handler of jobs of the type, whose payloads are read as the given class.
     *
     * @param <T> the payload
     * @param type the type of the jobs
     * @param payloadType the class of their payloads; {@code Void.class} for none, whatever they carry: then the
     *     function gets {@code null}
     * @param function handles one attempt
     * @return the handler
     */
    @SuppressWarnings({"unchecked", "NullAway"})
    public static <T> HandlerDefinition of(String type, Class<T> payloadType, HandlerFunction<T> function) {
        Objects.requireNonNull(function, "function");
        return ofGeneric(
                type,
                payloadType,
                payloadType == Void.class
                        ? (payload, job) -> function.handle(null, job)
                        : (HandlerFunction<Object>) function);
    }

    /**
     * Define a handler whose payloads are of a generic type.
     *
     * @param type the type of the jobs
     * @param payloadType the type of their payloads
     * @param function handles one attempt
     * @return the handler
     */
    public static HandlerDefinition ofGeneric(String type, Type payloadType, HandlerFunction<Object> function) {
        Objects.requireNonNull(type, "type");
        Objects.requireNonNull(payloadType, "payloadType");
        Objects.requireNonNull(function, "function");
        return new HandlerDefinition(new Draft(type, payloadType, function));
    }

    /**
     * Define a handler that takes many jobs at once, in one slot of their queue. It cannot be {@link #transactional}.
     *
     * @param <T> the payload
     * @param type the type of the jobs
     * @param payloadType the class of their payloads; {@code Void.class} for none, whatever they carry: then the
     *     payload of each is {@code null}
     * @param function handles the jobs of one bundle
     * @param most how many jobs it gets at once, from 1 to 1,000
     * @return the handler
     * @throws InvalidJobException if {@code most} is out of that range
     */
    @SuppressWarnings("unchecked")
    public static <T> HandlerDefinition ofBundle(
            String type, Class<T> payloadType, BundleFunction<T> function, int most) {
        Objects.requireNonNull(function, "function");
        if (most < 1 || most > MOST_AT_ONCE) {
            throw new InvalidJobException("most is '%d': must be from 1 to %d".formatted(most, MOST_AT_ONCE));
        }
        return ofGeneric(
                type, payloadType, new ManyAtOnce((BundleFunction<Object>) (BundleFunction<?>) function, most));
    }

    /**
     * Set the queue of jobs of this type, for which neither the publisher nor {@link JobType#queue()} names one.
     *
     * @param queue the name of the queue
     * @return a changed copy
     */
    public HandlerDefinition queue(String queue) {
        return copy(draft -> draft.queue = queue);
    }

    /**
     * Set the timeout; an attempt that takes longer is interrupted.
     *
     * @param timeout how long an attempt may take; {@code null} means as long as it likes
     * @return a changed copy
     */
    public HandlerDefinition timeout(@Nullable Duration timeout) {
        Ranges.requireTimeout("timeout", timeout);
        return copy(draft -> draft.timeout = timeout);
    }

    /**
     * Set the retry policy: how often and after which delays an attempt that threw is followed by another.
     *
     * @param retryPolicy the policy; {@code null} means {@link RetryPolicy#DEFAULT}
     * @return a changed copy
     */
    public HandlerDefinition retryPolicy(@Nullable RetryPolicy retryPolicy) {
        return copy(draft -> draft.retryPolicy = retryPolicy);
    }

    /**
     * Set whether the handler runs in a transaction that commits together with the completion of its job.
     *
     * @param transactional whether it does; the default is {@code false}
     * @return a changed copy
     * @throws InvalidJobException if the handler takes many jobs at once: each is completed on its own
     */
    public HandlerDefinition transactional(boolean transactional) {
        if (transactional && bundleFunction() != null) {
            throw new InvalidJobException(
                    ("The handler of '%s' takes many jobs at once and cannot be transactional: each of them is"
                                    + " completed on its own. Use a transaction in the handler.")
                            .formatted(draft.type));
        }
        return copy(draft -> draft.transactional = transactional);
    }

    /**
     * Set the former names of the type. Jobs that are still stored under one of them get this handler.
     *
     * @param aliases the former names of the type
     * @return a changed copy
     */
    public HandlerDefinition aliases(String... aliases) {
        return copy(draft -> draft.aliases = List.of(aliases));
    }

    /**
     * Add a limit for jobs of this type, as {@link Limit}, {@link Fifo} and {@link FairShare} do.
     *
     * @param limit the limit
     * @param key what it counts by: a path in the payload ({@code account.id}), a header ({@code header:tenant}), or
     *     {@code null} if all jobs share it
     * @return a changed copy
     */
    public HandlerDefinition limit(LimitDefinition limit, @Nullable String key) {
        List<HandlerLimit> more = new ArrayList<>(draft.limits);
        more.add(new HandlerLimit(limit, key));
        return copy(draft -> draft.limits = List.copyOf(more));
    }

    /** {@return the type of the jobs} */
    public String type() {
        return draft.type;
    }

    /** {@return the type of their payloads} */
    public Type payloadType() {
        return draft.payloadType;
    }

    /** {@return what handles an attempt; if it handles many at once, {@link #bundleFunction()} is called instead} */
    public HandlerFunction<Object> function() {
        return draft.function;
    }

    /** {@return what handles many jobs at once; {@code null} if it takes one at a time} */
    public @Nullable BundleFunction<Object> bundleFunction() {
        return draft.function instanceof ManyAtOnce many ? many.bundle : null;
    }

    /** {@return how many jobs it takes at once} */
    public int most() {
        return draft.function instanceof ManyAtOnce many ? many.most : 1;
    }

    /** {@return the queue of jobs whose publisher names none} */
    public String queue() {
        return draft.queue;
    }

    /** {@return how long an attempt may take, if there is a limit} */
    public @Nullable Duration timeout() {
        return draft.timeout;
    }

    /** {@return the retry policy, if it has one of its own} */
    public @Nullable RetryPolicy retryPolicy() {
        return draft.retryPolicy;
    }

    /** {@return whether it commits together with the completion} */
    public boolean transactional() {
        return draft.transactional;
    }

    /** {@return the former names of the type} */
    public List<String> aliases() {
        return draft.aliases;
    }

    /** {@return the limits of its jobs} */
    public List<HandlerLimit> limits() {
        return draft.limits;
    }

    /** {@return its type and queue} */
    @Override
    public String toString() {
        return "HandlerDefinition[type=%s, queue=%s]".formatted(draft.type, draft.queue);
    }

    /** Stands for a function of one job, so that copies of a definition need not tell both kinds apart. */
    private record ManyAtOnce(BundleFunction<Object> bundle, int most) implements HandlerFunction<Object> {

        @Override
        public Object handle(Object payload, JobContext job) {
            throw new UnsupportedOperationException("Takes many jobs at once: call bundleFunction()");
        }
    }

    private static final class Draft {

        final String type;
        final Type payloadType;
        final HandlerFunction<Object> function;
        String queue = DEFAULT_QUEUE;

        @Nullable
        Duration timeout;

        @Nullable
        RetryPolicy retryPolicy;

        boolean transactional;
        List<String> aliases = List.of();
        List<HandlerLimit> limits = List.of();

        Draft(String type, Type payloadType, HandlerFunction<Object> function) {
            this.type = type;
            this.payloadType = payloadType;
            this.function = function;
        }

        Draft(Draft other) {
            this(other.type, other.payloadType, other.function);
            this.queue = other.queue;
            this.timeout = other.timeout;
            this.retryPolicy = other.retryPolicy;
            this.transactional = other.transactional;
            this.aliases = other.aliases;
            this.limits = other.limits;
        }
    }
}
