package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Lets the keys of a {@link JobHandler}'s jobs take turns, so that one job of a small tenant starts within a round
 * beside a million of a large one.
 *
 * <pre>{@code
 * @JobHandler("mail.send")
 * @FairShare(key = "tenant", weights = {"big=3", "*=1"})
 * void send(Mail mail) { ... }
 * }</pre>
 *
 * <p>A limit like those of {@link Limit}: it is stored, shared and overridden in the same way, and a handler may have
 * both.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface FairShare {

    /**
     * The name of the limit; empty means the type of the handler.
     *
     * @return the name
     */
    String name() default "";

    /**
     * Who takes turns: a path in the payload, such as {@code tenant.id}, or a header, such as {@code header:tenant}.
     *
     * @return the path or header
     */
    String key();

    /**
     * How many jobs of a key start in its turn, from 1 to 1,000: {@code "big=3"}. The key {@code *} stands for all
     * others, which have 1 if nothing is said.
     *
     * @return the weights
     */
    String[] weights() default {};
}
