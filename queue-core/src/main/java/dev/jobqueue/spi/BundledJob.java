package dev.jobqueue.spi;

import dev.jobqueue.JobContext;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.RateLimitedException;
import org.jspecify.annotations.Nullable;

/**
 * One job of a bundle. Any thread may end it, once: later calls do nothing and return {@code false}, and so do calls
 * after the job was cancelled, has timed out or its lease was lost, and after a job before it has broken their series
 * ({@link BundleFunction}).
 *
 * @param <T> the payload
 */
public interface BundledJob<T> {

    /** {@return what the job carries; {@code null} once the job has ended and the handler has returned} */
    T payload();

    /**
     * Return what is known of the job. All its methods may be called on any thread. A {@linkplain JobContext#snooze
     * snooze} takes the place of the completion, also if the job is left open.
     *
     * @return the context of this job
     */
    JobContext context();

    /**
     * Return what tells the jobs of one FIFO lane from others. Handle them one after the other, in the order of the
     * bundle, while each is {@linkplain #isOpen() open}.
     *
     * @return the same number for all jobs of a lane; {@code null} if the job is in no FIFO lane
     */
    @Nullable
    Long lane();

    /**
     * Completes the job. The result is stored as that of any handler, but a future is not awaited: call this when it is
     * done. A result that cannot be stored makes the job a dead letter.
     *
     * @param result the result, if there is one
     * @return whether this ended the job
     */
    boolean complete(@Nullable Object result);

    /**
     * Ends the attempt as if the handler of one job had thrown: the retry policy says what follows. {@link
     * PermanentJobException} makes the job a dead letter at once, and {@link RateLimitedException} closes its lane.
     * While the node stops, after its grace period, the job is given back instead.
     *
     * @param cause kept as the error of the attempt
     * @return whether this ended the attempt
     */
    boolean fail(Throwable cause);

    /**
     * Gives the job back as if it had not begun: no attempt counts, however often this happens. The job is due at once,
     * on any node.
     *
     * @return whether this ended the attempt: not if it was given back because its series is broken
     */
    boolean release();

    /**
     * Return whether the attempt goes on.
     *
     * @return {@code false} once it was ended by one of the methods above, was cancelled, has timed out, its lease was
     *     lost, or a job before it has broken their series
     */
    boolean isOpen();
}
