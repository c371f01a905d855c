package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the type of the jobs that carry the annotated payload class; stable when the class is renamed or moved. A
 * {@link JobHandler} that takes the class and names no type handles this one.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface JobType {

    /**
     * The type, for example {@code invoice.send}.
     *
     * @return the type
     */
    String value();

    /**
     * Names that the type had before. Jobs are published under {@link #value()} only; those that are still stored under
     * a former name find the handler.
     *
     * @return the former names
     */
    String[] aliases() default {};

    /**
     * The queue of jobs with this payload when the publisher names none. Name it here, and not only in {@link
     * JobHandler#queue()}, if nodes publish such jobs that do not have the handler. The handler need not repeat the
     * queue; if it names another one, the application does not start.
     *
     * @return the name of the queue; empty for that of the handler
     */
    String queue() default "";
}
