package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Handles jobs of a {@link JobHandler} one at a time in the order of publishing, for each key, over all nodes. A job
 * that is to be tried again keeps its place: nothing else of its key starts before it has completed, died or was
 * cancelled. The order is that of transactions that do not overlap.
 *
 * <pre>{@code
 * @JobHandler("ledger.book")
 * @Fifo(key = "account")
 * void book(Booking booking) { ... }
 * }</pre>
 *
 * <p>A limit like those of {@link Limit}: it is stored, shared and overridden in the same way, and a handler may have
 * both. A handler has one FIFO at most.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface Fifo {

    /**
     * The name of the limit; empty means the type of the handler.
     *
     * @return the name
     */
    String name() default "";

    /**
     * What has an order: a path in the payload, such as {@code account.id}, or a header, such as {@code header:tenant}.
     * Empty means that all jobs are in one order.
     *
     * @return the path or header
     */
    String key() default "";

    /**
     * Whether a dead job blocks those behind it.
     *
     * @return whether it does
     */
    OnDead onDead() default OnDead.BLOCK;
}
