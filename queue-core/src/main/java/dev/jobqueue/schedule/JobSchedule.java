package dev.jobqueue.schedule;

import dev.jobqueue.JobHandler;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Publishes a job for the annotated {@link JobHandler} method again and again: once per due time for the whole cluster,
 * however many nodes run. The job's payload is an empty object, so the method takes none, or one that can be read from
 * it.
 *
 * <pre>{@code
 * @JobHandler("reports.nightly")
 * @JobSchedule(cron = "0 3 * * *", zone = "Europe/Berlin")
 * void buildReports(JobContext job) { ... }
 * }</pre>
 *
 * <p>Attributes may hold placeholders such as {@code ${reports.cron}}. What is wrong with them fails the start.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobSchedule {

    /**
     * When to run: five crontab fields (minute, hour, day of month, month, day of week), six with the second before
     * them, or a word such as {@code @daily}; {@code -} means never. Either this or {@link #every()}.
     *
     * @return the expression
     */
    String cron() default "";

    /**
     * The time between two runs, such as {@code 10m}; the first comes that long after the schedule was first seen.
     *
     * @return a duration
     */
    String every() default "";

    /**
     * The time zone of the cron expression, such as {@code Europe/Berlin}; empty means UTC.
     *
     * @return the name of the zone
     */
    String zone() default "";

    /**
     * The name of the schedule; empty means the type of the handler.
     *
     * @return the name
     */
    String name() default "";

    /**
     * What becomes of runs that were due while no node was up.
     *
     * @return what to do
     */
    Misfire misfire() default Misfire.ONCE;

    /**
     * Whether to run while the last run is still pending or running.
     *
     * @return whether to
     */
    Overlap overlap() default Overlap.ALLOW;

    /** What becomes of runs that were due while no node was up. */
    enum Misfire {

        /** The runs are left out. */
        SKIP,

        /** One job makes up for all of them. */
        ONCE,

        /** Each run gets its job; of more than a hundred runs, the latest hundred. */
        ALL
    }

    /** Whether a run starts while the last one has not ended. */
    enum Overlap {

        /** The run starts. */
        ALLOW,

        /** The run is left out while the last one is pending, running, or waiting for another attempt. */
        SKIP
    }
}
