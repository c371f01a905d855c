package dev.jobqueue.internal.node;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How this node is at the moment, for health, meters and the endpoint. Read from memory: the database is not asked.
 *
 * @param worker the worker of this node; {@code null} while it does not run
 * @param threads the queue's own threads
 * @param outages what the database keeps this node from doing for a second or longer, by task
 */
public record NodeStatus(@Nullable Worker worker, List<ThreadStatus> threads, Map<String, Outage.Report> outages) {

    /** The tasks that may be named in the outages. */
    public static final List<String> TASKS =
            List.of("settle", "settle-single", "claim", "beat", "upkeep", "schedules", "flows", "listen", "wake-up");

    /** {@return the slots of this node for a queue; {@code null} if it does not work the queue} */
    public @Nullable SlotUse slots(String queue) {
        return worker == null ? null : worker.slots().get(queue);
    }

    /**
     * The worker of this node.
     *
     * @param slots the slots by queue
     * @param listener whether wake-ups arrive; {@code null} if this node only polls
     * @param deafRuns the runs that ignore the interrupt of their timeout, by type; they have no slot any more
     */
    public record Worker(
            UUID id,
            Duration sinceLastBeat,
            Map<String, SlotUse> slots,
            @Nullable ListenerState listener,
            Map<String, DeafRuns> deafRuns) {

        /** Whether this node hears of new jobs by notification. */
        public boolean isListening() {
            return listener == ListenerState.CONNECTED;
        }
    }

    /** Whether wake-ups arrive. */
    public enum ListenerState {
        /** Notifications arrive. */
        CONNECTED,
        /** There is a connection, but the notification that this node sent to itself did not come back. */
        DEAF,
        /** There is no connection. */
        DISCONNECTED
    }

    /** The slots of one queue. */
    public record SlotUse(int total, int used) {}

    /** The deaf runs of one type, and whether each of them keeps a transaction. */
    public record DeafRuns(int count, boolean transactional) {}

    /**
     * One of the queue's own threads.
     *
     * @param trouble why the thread does not work any more; {@code null} while it does
     * @param failures after how many errors the thread went on
     * @param lastFailure the last of these errors; {@code null} if there was none
     */
    public record ThreadStatus(
            String name,
            Loop.State state,
            @Nullable String trouble,
            long failures,
            @Nullable String lastFailure) {

        public static ThreadStatus of(Loop loop) {
            return new ThreadStatus(loop.name(), loop.state(), loop.trouble(), loop.failures(), loop.lastFailure());
        }
    }
}
