package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Limits how many jobs of a {@link JobHandler} run at once, or how many start in a time, over all nodes. Jobs that
 * cannot start are {@link JobState#WAITING}.
 *
 * <pre>{@code
 * @JobHandler("crm.sync")
 * @Limit(name = "crm", key = "account", running = 2)
 * @Limit(name = "crm-api", rate = "100/10s", burst = 10)
 * void sync(SyncAccount payload) { ... }
 * }</pre>
 *
 * <p>Handlers that name the same limit share it, and must give it the same values. The properties {@code
 * queue.limits.<name>} override what is said here. The limit is stored when a node with the handler starts; it holds
 * for jobs that are published from then on, by whomever. {@code operate.JobLimits} changes it at run time.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@Repeatable(Limit.List.class)
public @interface Limit {

    /**
     * The name of the limit; empty means the type of the handler.
     *
     * @return the name
     */
    String name() default "";

    /**
     * What the limit counts by: a path in the payload, such as {@code account.id}, or a header, such as {@code
     * header:tenant}. Each value has the whole limit to itself. Empty means that all jobs share it.
     *
     * @return the path or header
     */
    String key() default "";

    /**
     * How many run at once; 0 means any number.
     *
     * @return the number
     */
    int running() default 0;

    /**
     * How many start in a time: {@code 100/s}, {@code 100/10s}, {@code 5000/1h}. They start evenly, {@link #burst()} of
     * them at once. Empty means any number.
     *
     * @return the rate
     */
    String rate() default "";

    /**
     * How many of a {@link #rate()} may start at once after a pause; 0 means what the rate lets start in a tenth of a
     * second, at least 1.
     *
     * @return the number
     */
    int burst() default 0;

    /**
     * What becomes of jobs that cannot start.
     *
     * @return what becomes of them
     */
    AtLimit atLimit() default AtLimit.WAIT;

    /** Several limits of one handler. */
    @Documented
    @Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
    @Retention(RetentionPolicy.RUNTIME)
    @interface List {

        /**
         * The limits.
         *
         * @return the limits
         */
        Limit[] value();
    }
}
