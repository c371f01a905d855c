package dev.jobqueue.spi;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobContext;
import dev.jobqueue.operate.JobDetails;
import java.lang.reflect.Type;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker without threads: it claims, handles and settles one job at a time, on the thread of the caller and in the
 * caller's transaction, if one is open. A savepoint keeps that transaction usable, whatever a handler does. For tests.
 *
 * <p>It has the handlers, queues, retry policies and schedules that the worker of the application would have. Not
 * thread-safe.
 */
public interface ManualWorker {

    /** {@return the handlers of the application, by the types they take, aliases included} */
    Map<String, HandlerDefinition> handlers();

    /** {@return the queues that the worker of the application works} */
    Set<String> queues();

    /**
     * Looks at jobs, with one call of the database.
     *
     * @param ids the ids of the jobs
     * @return what is known of them, in the same order; nothing of those that nobody knows
     */
    List<JobDetails> find(Collection<UUID> ids);

    /**
     * Reads a payload as a handler would get it.
     *
     * @param json the payload as it is stored
     * @param type the type of the handler's parameter
     * @return the payload
     * @throws dev.jobqueue.PermanentJobException if it cannot be read
     */
    Object readPayload(String json, Type type);

    /**
     * Writes a payload, or another value, as it is stored.
     *
     * @param value the value
     * @return its JSON
     * @throws dev.jobqueue.InvalidJobException if it cannot be written
     */
    String write(Object value);

    /** Publishes the jobs of the schedules that are due. */
    void fireSchedules();

    /**
     * Makes jobs pending that are due, and tells when the next job or schedule is.
     *
     * @return the next due time, which has passed if more is due already; nothing if nothing waits for its time
     */
    Optional<Instant> promote();

    /**
     * Claims the next pending job, calls its handler and settles it.
     *
     * @param type only a job of this type; {@code null} means any
     * @param watch sees what happens meanwhile
     * @return the id of the job; nothing if none is pending that this application handles
     * @throws IllegalStateException if the handler called its context where the job cannot be seen: on another thread
     *     or in another transaction, while the caller's has not committed it
     */
    Optional<UUID> handleNext(@Nullable String type, Watch watch);

    /**
     * Lets the database presume that this worker is dead, while a handler runs. The job is rescued, and what the
     * handler tells the queue after that does not count.
     *
     * @throws IllegalStateException if no handler runs
     */
    void loseLease();

    /** Sees what happens while a job is handled. */
    interface Watch {

        /** {@return the time by which attempts time out} */
        Instant now();

        /**
         * The handler is called next.
         *
         * @param job what the handler gets
         */
        default void begins(JobContext job) {}

        /**
         * A step was finished and stored.
         *
         * @param job the job
         * @param step the name of the step
         * @throws WorkerCrash to end the attempt here, as if the node had died
         */
        default void stepped(JobContext job, String step) {}

        /** What was written through an object mapper goes to the database. */
        default void flush() {}

        /** What was written since the last savepoint was rolled back. */
        default void rolledBack() {}
    }

    /** Ends an attempt as if the node had died: the handler is left, nothing is settled, and the job is rescued. */
    final class WorkerCrash extends Error {

        private static final long serialVersionUID = 1L;

        /**
         * A crash.
         *
         * @param message where it happened
         */
        public WorkerCrash(String message) {
            super(message);
        }
    }
}
