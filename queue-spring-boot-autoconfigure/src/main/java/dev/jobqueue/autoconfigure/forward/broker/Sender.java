package dev.jobqueue.autoconfigure.forward.broker;

import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends messages to one broker. Called by one thread at a time. */
public interface Sender extends AutoCloseable {

    /** {@return the name of the broker, for people} */
    String broker();

    /** {@return after how long without any answer the connection is given up} */
    Duration patience();

    /**
     * Sends a message.
     *
     * @param message the message
     * @param done called on any thread, with {@code null} when the broker has the message for good, or with why it has
     *     not; the first call counts
     */
    void send(Message message, Consumer<@Nullable Unsent> done);

    /** {@return whether the broker has answered since the last reset, if only to a greeting} */
    boolean isThere();

    /**
     * Gives up what is under way: for each message {@code done} is called, and the next one needs a new connection. Not
     * if the connections are the application's.
     */
    void reset();

    /** Lets go of the broker for good: no message is sent afterwards. */
    @Override
    void close();
}
