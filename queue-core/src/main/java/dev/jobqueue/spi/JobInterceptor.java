package dev.jobqueue.spi;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Goes around publishing and handling, to carry a tenant, a user or a locale from one to the other for example. In a
 * Spring application it is enough to declare one as a bean; the first in {@code @Order} is the outermost.
 *
 * <p>Called by many threads at once.
 */
public interface JobInterceptor {

    /**
     * Goes around one call of the publisher, on the thread and in the transaction of the caller. Jobs of schedules and
     * those published by SQL do not come here. The members of a batch come some at a time. The steps of a flow come
     * when the flow is published, and so do the jobs that follow it: their ids are not known then, and {@code next}
     * returns that of the batch or flow instead.
     *
     * @param jobs the jobs of the call, at least one
     * @param next publishes what it is given
     * @return the ids of the jobs, in their order: what {@code next} returned
     * @throws RuntimeException to refuse the jobs: the caller gets the exception, and nothing is published
     */
    default List<UUID> publish(List<Job> jobs, Publication next) {
        return next.proceed(jobs);
    }

    /**
     * Goes around one attempt of a handler, on the thread of the handler and within its timeout. When {@code next}
     * returns, the handler has returned, and a future it returned is done. Around a transactional handler this runs
     * inside of the transaction: what an interceptor writes commits or rolls back with what the handler writes, and the
     * commit comes after the interceptor. Clear what you set on the thread: the next job may run on it. Not called for
     * handlers that take many jobs at once ({@link BundleFunction}).
     *
     * @param job what is known of the job
     * @param next calls the handler; whoever does not call it completes the job without it
     * @return the result of the job: what {@code next} returned, or something else
     * @throws Exception to fail the attempt, as if the handler had thrown it
     */
    default @Nullable Object handle(JobContext job, Attempt next) throws Exception {
        return next.proceed();
    }

    /** The rest of the way to the database. */
    @FunctionalInterface
    interface Publication {

        /**
         * Publishes jobs: those given to the interceptor, or changed copies of them, as many and in the same order.
         *
         * @param jobs the jobs
         * @return their ids in order
         */
        List<UUID> proceed(List<Job> jobs);
    }

    /** The rest of the way to the handler. */
    @FunctionalInterface
    interface Attempt {

        /**
         * Calls the handler.
         *
         * @return what the handler returned
         * @throws Exception what the handler threw
         */
        @Nullable
        Object proceed() throws Exception;
    }
}
