package dev.jobqueue.autoconfigure;

import dev.jobqueue.AtLimit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.OnDead;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Configuration of the job queue.
 *
 * @param enabled whether this application uses the job queue at all
 * @param schema where the queue lives in the database
 * @param publisher how jobs are published
 * @param worker how this node works
 * @param queues settings of single queues, by name
 * @param retry how jobs are tried again, by type (in brackets if it has dots: queue.retry[invoice.send]); overrides
 *     what the handler says
 * @param limits how many jobs run at once or start in a time, and in which order, by the name of the limit (in brackets
 *     if it has dots); overrides what the code says of a limit of that name
 * @param schedules recurring jobs, by the name of the schedule; overrides what the code says of a schedule of that name
 * @param forward how messages are sent to Kafka and RabbitMQ
 * @param listener how this node hears of jobs that others publish
 * @param retention how long finished jobs are kept in the history, where the queue does not say otherwise; 0 keeps
 *     nothing, unset leaves what the database says (7 days at first)
 * @param health when a queue is in trouble
 * @param metrics what is measured, and how often
 * @param endpoint what the actuator endpoint 'queues' shows
 */
@ConfigurationProperties(prefix = "queue")
public record QueueProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue Schema schema,
        @DefaultValue Publisher publisher,
        @DefaultValue Worker worker,
        @DefaultValue Map<String, Queue> queues,
        @DefaultValue Map<String, Retry> retry,
        @DefaultValue Map<String, Limit> limits,
        @DefaultValue Map<String, Schedule> schedules,
        @DefaultValue Forward forward,
        @DefaultValue Listener listener,
        @Nullable Duration retention,
        @DefaultValue Health health,
        @DefaultValue Metrics metrics,
        @DefaultValue Endpoint endpoint) {

    /**
     * Where the queue lives in the database.
     *
     * @param name the database schema
     * @param migrate whether to create and update the schema at start, as the role of the DataSource; false only looks
     *     whether it fits
     */
    public record Schema(
            @DefaultValue("queue") String name,
            @DefaultValue("true") boolean migrate) {}

    /**
     * How jobs are published.
     *
     * @param requireTransaction whether publishing outside of a transaction of the queue's DataSource is an error
     * @param notifyInTransaction whether other nodes are notified within the publishing transaction instead of after
     *     it; slows down concurrent commits
     * @param events whether application events whose class has @JobType are published as jobs, in the transaction of
     *     whoever publishes the event
     */
    public record Publisher(
            @DefaultValue("false") boolean requireTransaction,
            @DefaultValue("false") boolean notifyInTransaction,
            @DefaultValue("false") boolean events) {}

    /**
     * How this node works.
     *
     * @param enabled whether this node handles jobs; one that does not can still publish
     * @param queues the queues this node works, by name or with '*' for any characters, among those that its handlers,
     *     its schedules and queue.queues name
     * @param slots how many jobs of one queue are handled at once, where the queue does not say otherwise
     * @param direct whether a job that is published on this node, or a step of a flow that it frees, may start here
     *     without being claimed, when a slot is free and nothing waits in its queue
     * @param maxClaimBytes how many bytes of payloads, headers and steps one claim brings of each queue; more wait for
     *     the next claim
     * @param pollInterval how often to look for jobs when nothing wakes this node; a third as often while notifications
     *     arrive
     * @param heartbeatInterval at least how often this node says that it lives; every two seconds while it runs jobs
     * @param ttl how long a node may be silent before its jobs are rescued
     * @param shutdownGrace how long running jobs may take to finish when the application stops
     * @param logFailures what is logged of attempts that threw: at most ten a minute of each type, as a warning while
     *     attempts are left and as an error when the job is dead
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("*") List<String> queues,
            @DefaultValue("10") int slots,
            @DefaultValue("true") boolean direct,
            @DefaultValue("8MB") DataSize maxClaimBytes,
            @DefaultValue("5s") Duration pollInterval,
            @DefaultValue("5s") Duration heartbeatInterval,
            @DefaultValue("20s") Duration ttl,
            @DefaultValue("20s") Duration shutdownGrace,
            @DefaultValue("line") LogFailures logFailures) {}

    /** What is logged of an attempt that threw. */
    public enum LogFailures {
        /** Nothing. */
        NONE,
        /** One line; with the stack trace where the logger 'dev.jobqueue.failures' is at level DEBUG. */
        LINE,
        /** The stack trace too. */
        STACK_TRACE
    }

    /**
     * Settings of one queue.
     *
     * @param slots how many of its jobs this node handles at once
     * @param retention how long its finished jobs are kept in the history; 0 keeps nothing
     * @param health when this queue is in trouble, where that differs from queue.health
     */
    public record Queue(
            @Nullable Integer slots,
            @Nullable Duration retention,
            @DefaultValue Thresholds health) {}

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
     * A limit over all nodes; what is not set comes from the handlers that name it, if there are some.
     *
     * @param running how many jobs of a key run at once
     * @param rate how many jobs of a key start in a time, such as 100/s, 100/10s or 5000/1h
     * @param burst how many jobs of the rate may start at once; what it lets start in a tenth of a second if nothing is
     *     set
     * @param key what the limit counts by: a path in the payload (account.id) or a header (header:tenant); all jobs
     *     share it if nothing is set
     * @param kind what the limit does; fifo lets one job run at a time, in the order of publishing, and fair lets keys
     *     take turns
     * @param atLimit what becomes of jobs that cannot start; replace cancels all but the newest, and cancel-running
     *     asks the oldest running one to stop
     * @param onDead whether a dead job blocks its fifo lane
     * @param weights how many jobs of a key start in its turn, by key, [*] for all others
     * @param types types whose jobs have the limit, besides those of the handlers that name it
     * @param queues queues whose jobs have the limit
     */
    public record Limit(
            @Nullable Integer running,
            @Nullable String rate,
            @Nullable Integer burst,
            @Nullable String key,
            LimitDefinition.@Nullable Kind kind,
            @Nullable AtLimit atLimit,
            @Nullable OnDead onDead,
            @DefaultValue Map<String, Integer> weights,
            @DefaultValue Set<String> types,
            @DefaultValue Set<String> queues) {}

    /**
     * A recurring job; what is not set comes from the schedule of that name in the code, if there is one.
     *
     * @param cron when to run: five crontab fields, six with the second before them, a word such as '@daily', or '-'
     *     for never
     * @param every the time between two runs, instead of an expression
     * @param zone the time zone of the expression; UTC if nothing is set
     * @param type the type of the jobs; the name of the schedule if nothing is set
     * @param payload the payload of the jobs
     * @param queue the queue of the jobs; that of their handler if nothing is set
     * @param priority the priority of the jobs
     * @param misfire what becomes of runs that were due while no node was up
     * @param overlap whether to run while the last run is still pending or running
     * @param maxAttempts how many attempts the jobs get
     * @param timeout how long an attempt may take
     */
    public record Schedule(
            @Nullable String cron,
            @Nullable Duration every,
            @Nullable String zone,
            @Nullable String type,
            @Nullable Map<String, Object> payload,
            @Nullable String queue,
            @Nullable Integer priority,
            JobSchedule.@Nullable Misfire misfire,
            JobSchedule.@Nullable Overlap overlap,
            @Nullable Integer maxAttempts,
            @Nullable Duration timeout) {

        /** The definition with what is set here in place of what it says. */
        ScheduleDefinition over(ScheduleDefinition base) {
            ScheduleDefinition definition = cron == null ? base : base.cron(cron);
            definition = every == null ? definition : definition.every(every);
            definition = zone == null ? definition : definition.zone(zone);
            definition = type == null ? definition : definition.type(type);
            definition = payload == null ? definition : definition.payload(payload);
            definition = queue == null ? definition : definition.queue(queue);
            definition = priority == null ? definition : definition.priority(priority);
            definition = misfire == null ? definition : definition.misfire(misfire);
            definition = overlap == null ? definition : definition.overlap(overlap);
            definition = maxAttempts == null ? definition : definition.maxAttempts(maxAttempts);
            return timeout == null ? definition : definition.timeout(timeout);
        }
    }

    /**
     * How messages are sent to Kafka and RabbitMQ.
     *
     * @param kafka sending to Kafka
     * @param rabbit sending to RabbitMQ
     * @param timeout how long a broker may take to acknowledge a message; then it counts as down, or the topic as stuck
     * @param backoff the first delay before a broker that is down is tried again; each next one is twice as long
     * @param maxBackoff the longest delay
     * @param cloudEvents whether all messages have the headers of CloudEvents; those that ask for them always do
     * @param source the source in CloudEvents headers; the name of the application if nothing is set
     * @param jobHeaders the headers of a job that its message has too, by name or with '*' for any characters: those
     *     that carry a trace
     * @param modulith to which broker the externalized events of Spring Modulith are forwarded, in the transaction of
     *     whoever publishes the event; none if nothing is set
     */
    public record Forward(
            @DefaultValue Broker kafka,
            @DefaultValue Broker rabbit,
            @DefaultValue("20s") Duration timeout,
            @DefaultValue("1s") Duration backoff,
            @DefaultValue("30s") Duration maxBackoff,
            @DefaultValue("false") boolean cloudEvents,
            @Nullable String source,

            @DefaultValue({"traceparent", "tracestate", "baggage", "b3", "X-B3-*"})
            List<String> jobHeaders,

            @Nullable BrokerName modulith) {}

    /**
     * Whether this node sends to a broker.
     *
     * @param enabled whether this node sends to the broker, if its Spring module is on the class path
     */
    public record Broker(@DefaultValue("true") boolean enabled) {}

    /** A broker that messages are forwarded to. */
    public enum BrokerName {
        /** Apache Kafka. */
        KAFKA,
        /** RabbitMQ. */
        RABBIT
    }

    /**
     * How this node hears of jobs that others publish.
     *
     * @param enabled whether to keep a connection open for notifications; without, this node only polls
     * @param probeInterval after how much silence to check that notifications still arrive
     */
    public record Listener(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("30s") Duration probeInterval) {}

    /**
     * When a queue is in trouble, and what of it the health endpoint calls DOWN.
     *
     * @param timeout how long to wait for the database before it is called DOWN
     * @param criticalIsDown whether a queue that is CRITICAL makes the application DOWN; false only shows it
     * @param pendingWarning WARNING from so many pending jobs on; unset leaves what the database says (100 at first)
     * @param pendingCritical CRITICAL from so many pending jobs on; unset means never, because many jobs at once are no
     *     trouble as long as none waits for long
     * @param oldestWarning WARNING when the oldest pending job has been due for this long
     * @param oldestCritical CRITICAL when the oldest pending job has been due for this long
     * @param deadWarning WARNING from so many dead letters on
     * @param deadCritical CRITICAL from so many dead letters on; unset means never
     * @param outageCritical CRITICAL when this node has claimed or settled nothing for so long because the database
     *     fails or does not answer
     * @param brokerCritical CRITICAL when a broker has taken no messages for so long; WARNING before
     * @param transactionWarning WARNING when somebody holds a transaction open for so long, and so holds back vacuum
     * @param deadTuplesWarning WARNING from so many dead tuples of the table of live jobs on
     * @param notificationWarning WARNING when PostgreSQL's queue of notifications is so full, from 0 to 1
     */
    public record Health(
            @DefaultValue("2s") Duration timeout,
            @DefaultValue("true") boolean criticalIsDown,
            @Nullable Integer pendingWarning,
            @Nullable Integer pendingCritical,
            @DefaultValue("10m") Duration oldestWarning,
            @DefaultValue("1h") Duration oldestCritical,
            @DefaultValue("1") int deadWarning,
            @Nullable Integer deadCritical,
            @DefaultValue("10s") Duration outageCritical,
            @DefaultValue("1h") Duration brokerCritical,
            @DefaultValue("10m") Duration transactionWarning,
            @DefaultValue("1000000") long deadTuplesWarning,
            @DefaultValue("0.5") double notificationWarning) {}

    /**
     * When one queue is in trouble; what is not set comes from queue.health.
     *
     * @param pendingWarning WARNING from so many pending jobs on
     * @param pendingCritical CRITICAL from so many pending jobs on
     * @param oldestWarning WARNING when the oldest pending job has been due for this long
     * @param oldestCritical CRITICAL when the oldest pending job has been due for this long
     * @param deadWarning WARNING from so many dead letters on
     * @param deadCritical CRITICAL from so many dead letters on
     */
    public record Thresholds(
            @Nullable Integer pendingWarning,
            @Nullable Integer pendingCritical,
            @Nullable Duration oldestWarning,
            @Nullable Duration oldestCritical,
            @Nullable Integer deadWarning,
            @Nullable Integer deadCritical) {}

    /**
     * What is measured, and how often.
     *
     * @param enabled whether anything is measured
     * @param refresh how often the figures of all queues are read from the database, a sixth as often while nobody
     *     looks at them; a scrape never does
     * @param timeout how long reading them may take
     * @param countLimit where counting the jobs of a queue and state stops; a count that reached it means "at least"
     * @param histograms whether the timers of waiting and running publish histograms
     */
    public record Metrics(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("10s") Duration refresh,
            @DefaultValue("5s") Duration timeout,
            @DefaultValue("10000") int countLimit,
            @DefaultValue("false") boolean histograms) {}

    /**
     * What the actuator endpoint 'queues' shows.
     *
     * @param showPayloads who sees payloads, headers and results of jobs
     * @param roles the roles that are authorized to; without any, everybody who is authenticated
     * @param timeout how long one look at the database may take
     */
    public record Endpoint(
            @DefaultValue("never") ShowPayloads showPayloads,
            @DefaultValue Set<String> roles,
            @DefaultValue("5s") Duration timeout) {}

    /** Who sees what jobs carry. */
    public enum ShowPayloads {
        /** Nobody. */
        NEVER,
        /** Whoever is authenticated and has one of the roles, where some are given. */
        WHEN_AUTHORIZED,
        /** Whoever may call the endpoint. */
        ALWAYS
    }
}
