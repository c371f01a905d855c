package dev.jobqueue;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives a parameter of a {@link JobHandler} method the result of an earlier step of the same {@link Flow}:
 *
 * <pre>{@code
 * @JobHandler("mail")
 * void mail(Mail mail, @From("pay") Receipt receipt, @From("label") List<Label> labels) { ... }
 * }</pre>
 *
 * <p>The result of {@link Flow#each} is a {@code List} in the order of its items. The parameter is {@code null}, and so
 * is an element of the list, if there is no result: the step returned none, or has not completed. A result that cannot
 * be read as the type of the parameter ends the job, without another attempt. {@link JobContext#resultOf} is the same
 * within the handler.
 */
@Documented
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
public @interface From {

    /**
     * The name of the step.
     *
     * @return the name of a step, a signal or an {@link Flow#each} of the flow
     */
    String value();
}
