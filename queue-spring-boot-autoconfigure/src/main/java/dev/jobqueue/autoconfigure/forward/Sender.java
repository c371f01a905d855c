package dev.jobqueue.autoconfigure.forward;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends messages to one broker. Called by one thread at a time. */
interface Sender extends AutoCloseable {

    /** {@return the name of the broker, for people} */
    String broker();

    /**
     * Sends a message.
     *
     * @param message the message
     * @param done called once, on any thread, with {@code null} when the broker has the message for good, or with what
     *     went wrong; not called if this throws
     * @throws Exception what went wrong at once
     */
    void send(Message message, Consumer<@Nullable Throwable> done) throws Exception;

    /** {@return what to do with a message for which this went wrong} */
    Verdict judge(Throwable error);

    /** Gives up what is under way: for each message {@code done} is called, and the next one needs a new connection. */
    void reset();

    /** Lets go of the broker; a later message connects again. */
    @Override
    void close();

    /** What went wrong, in one line. */
    static String reason(Throwable error) {
        String message = error.getMessage();
        return message == null || message.isBlank()
                ? error.getClass().getSimpleName()
                : message.lines().findFirst().orElseThrow();
    }

    /** What to do with a message that was not sent. */
    enum Verdict {
        /** The broker is down: keep the message, and try again. */
        DOWN,
        /** The broker will never take it: a dead letter. */
        REFUSED,
        /** Something else: the attempt counts. */
        FAILED,
        /** One of those under way is to blame, and it is not known which: send them again, one by one. */
        UNCERTAIN
    }
}
