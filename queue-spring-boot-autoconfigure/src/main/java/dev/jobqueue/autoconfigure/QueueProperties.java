package dev.jobqueue.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration of the job queue.
 *
 * @param enabled whether this application uses the job queue at all
 * @param schema where the queue lives in the database
 * @param publisher how jobs are published
 * @param worker how this node works
 * @param queues settings of single queues, by name
 * @param retry how jobs are tried again, by type (in brackets if it has dots: queue.retry[invoice.send]); overrides what
 *     the handler says
 * @param listener how this node hears of jobs that others publish
 * @param retention how long finished jobs are kept in the history, where the queue does not say otherwise; 0 keeps nothing,
 *     unset leaves what the database says (7 days at first)
 */
@ConfigurationProperties(prefix = "queue", ignoreUnknownFields = false)
public record QueueProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Schema schema,
        @DefaultValue Publisher publisher,
        @DefaultValue Worker worker,
        @DefaultValue Map<String, Queue> queues,
        @DefaultValue Map<String, Retry> retry,
        @DefaultValue Listener listener,
        @Nullable Duration retention) {

    /**
     * Where the queue lives in the database.
     *
     * @param name the database schema
     * @param migrate whether to create and update the schema at start
     */
    public record Schema(
            @DefaultValue("queue") String name,
            @DefaultValue("true") boolean migrate) {}

    /**
     * How jobs are published.
     *
     * @param requireTransaction whether publishing outside of a transaction is an error
     * @param notifyInTransaction whether other nodes are notified within the publishing transaction instead of after it;
     *     slows down concurrent commits
     */
    public record Publisher(
            @DefaultValue("false") boolean requireTransaction,
            @DefaultValue("false") boolean notifyInTransaction) {}

    /**
     * How this node works.
     *
     * @param enabled whether this node handles jobs; one that does not can still publish
     * @param queues the queues this node works, by name or with '*' for any characters
     * @param slots how many jobs of one queue are handled at once, where the queue does not say otherwise
     * @param pollInterval how often to look for jobs when nothing wakes this node
     * @param heartbeatInterval how often this node says that it lives
     * @param ttl how long a node may be silent before its jobs are rescued
     * @param shutdownGrace how long running jobs may take to finish when the application stops
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("*") List<String> queues,
            @DefaultValue("10") int slots,
            @DefaultValue("5s") Duration pollInterval,
            @DefaultValue("5s") Duration heartbeatInterval,
            @DefaultValue("20s") Duration ttl,
            @DefaultValue("20s") Duration shutdownGrace) {}

    /**
     * Settings of one queue.
     *
     * @param slots how many of its jobs this node handles at once
     * @param retention how long its finished jobs are kept in the history; 0 keeps nothing
     */
    public record Queue(@Nullable Integer slots, @Nullable Duration retention) {}

    /**
     * How jobs of one type are tried again; what is not set comes from the handler.
     *
     * @param maxAttempts attempts in all
     * @param backoff the delay after the first attempt
     * @param factor what each further delay is multiplied with, from 1 to 100
     * @param maxBackoff the longest delay
     * @param jitter the random share of a delay that is left out, from 0 to 1
     * @param timeout how long an attempt may take
     */
    public record Retry(
            @Nullable Integer maxAttempts,
            @Nullable Duration backoff,
            @Nullable Double factor,
            @Nullable Duration maxBackoff,
            @Nullable Double jitter,
            @Nullable Duration timeout) {}

    /**
     * How this node hears of jobs that others publish.
     *
     * @param enabled whether to keep a connection open for notifications; without, this node only polls
     */
    public record Listener(@DefaultValue("true") boolean enabled) {}
}
