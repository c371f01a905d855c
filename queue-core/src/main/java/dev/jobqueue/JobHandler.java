package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method the handler of all jobs of one type. Its parameters, in any order and each optional, are the payload
 * (a record or class, {@code Map}, {@code JsonNode}, or {@code String} for the JSON as it is), the {@link JobContext},
 * and any number of results of earlier steps, see {@link From}; what it returns is stored as the job's result. A {@code
 * CompletableFuture} or other {@code Future} is awaited: its failure is that of the attempt, its result that of the
 * job, and a timeout or a cancellation cancels it. Futures within another result, such as a {@code List} or an {@code
 * Optional}, are not awaited.
 *
 * <p>Throwing means another attempt by the retry policy; {@link PermanentJobException} means none. A job is handled at
 * least once: make the handler idempotent, or {@link #transactional()}.
 *
 * <p>Durations are written like {@code 30s}, {@code 5m}, {@code 1h} or {@code PT30S}.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobHandler {

    /**
     * The type of the jobs, for example {@code invoice.send}; exactly one handler takes a type. Empty means the type
     * that {@link JobType} on the class of the payload names.
     *
     * @return the type
     */
    String value() default "";

    /**
     * Names that the type had before: jobs that are still stored under one of them find this handler.
     *
     * @return the former names
     */
    String[] aliases() default {};

    /**
     * The queue that jobs of this type are published to when neither the publisher nor {@link JobType#queue()} of the
     * payload names one. Only nodes that have the handler know it.
     *
     * @return the name of the queue
     */
    String queue() default HandlerDefinition.DEFAULT_QUEUE;

    /**
     * How long an attempt may take before it is interrupted; empty means as long as it likes.
     *
     * @return a duration
     */
    String timeout() default "";

    /**
     * How many attempts a job gets in all; 0 means the default of 3.
     *
     * @return the number of attempts
     */
    int maxAttempts() default 0;

    /**
     * The delay after the first attempt that threw; empty means one minute.
     *
     * @return a duration
     */
    String backoff() default "";

    /**
     * What each further delay is multiplied with; 0 means the default of 2.
     *
     * @return the factor
     */
    double backoffFactor() default 0;

    /**
     * The longest delay between two attempts; empty means one hour.
     *
     * @return a duration
     */
    String maxBackoff() default "";

    /**
     * Whether the handler runs in a transaction that commits together with the completion of the job: its own writes,
     * the jobs it publishes and the completion take effect together, once, or not at all.
     *
     * @return whether it does
     */
    boolean transactional() default false;
}
