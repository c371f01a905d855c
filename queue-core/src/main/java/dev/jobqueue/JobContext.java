package dev.jobqueue;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * What a handler may know of the job it handles, and tell the queue while it does.
 *
 * <p>Calls that reach the database throw {@link LeaseLostException} when the job is no longer this worker's; the handler
 * should then let go. May be used from threads the handler starts, while the handler runs.
 */
public interface JobContext {

    UUID id();

    String type();

    String queue();

    /** The number of this attempt, from 1. */
    int attempt();

    int maxAttempts();

    Map<String, String> headers();

    Instant createdAt();

    /** The schedule that published the job; {@code null} if none did. */
    default @Nullable String scheduleName() {
        return headers().get("schedule");
    }

    /** When the run of the schedule was due, which may be earlier than now; {@code null} if no schedule published it. */
    default @Nullable Instant scheduledFor() {
        String time = headers().get("schedule-time");
        return time == null ? null : Instant.parse(time);
    }

    /** Tells how far the job is, for people who watch it. */
    void progress(int percent, @Nullable String stage);

    /** Adds a line to the job's own log. */
    void log(String message);

    /**
     * Runs the action once for the job, however many attempts it takes: its result is stored, and later attempts get the
     * stored one. In a transactional handler nothing is stored, because an attempt commits as a whole or not at all.
     *
     * @throws Exception what the action throws
     */
    <T> T step(String name, Class<T> type, Callable<T> action) throws Exception;

    /** Gives this attempt more time, counted from now, than its timeout left it. */
    void extend(Duration timeout);

    /** Ends this attempt when the handler returns, without counting it, and comes back after the delay. */
    void snooze(Duration delay);

    /** Whether somebody asked for the job to be cancelled, or the lease is lost; long loops should look now and then. */
    boolean isCancelled();

    /** Publishes a job; in a transactional handler it commits together with this one's completion. */
    UUID publish(Job job);
}
