package dev.jobqueue;

import org.jspecify.annotations.Nullable;

/**
 * Handles a job.
 *
 * @param <T> the payload
 */
@FunctionalInterface
public interface HandlerFunction<T> {

    /**
     * Handles one attempt; what it returns is stored as the job's result. A {@code CompletableFuture} or other {@code
     * Future} is awaited first; futures within a {@code List} or another result are not.
     *
     * @param payload what the job carries
     * @param job what is known of the job
     * @return the result, if there is one
     * @throws Exception to be tried again by the retry policy
     */
    @Nullable
    Object handle(T payload, JobContext job) throws Exception;
}
