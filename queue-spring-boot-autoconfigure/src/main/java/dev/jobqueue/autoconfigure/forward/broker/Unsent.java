package dev.jobqueue.autoconfigure.forward.broker;

import org.jspecify.annotations.Nullable;

/** Why a message was not sent, and what to do with it. */
public final class Unsent extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** What to do with the message. */
    private final Verdict verdict;

    /**
     * A message was not sent.
     *
     * @param verdict what to do with it
     * @param reason what went wrong
     * @param cause the exception of the client, if there was one
     */
    public Unsent(Verdict verdict, String reason, @Nullable Throwable cause) {
        super(reason, cause);
        this.verdict = verdict;
    }

    /**
     * A message was not sent, for the reason that the exception of the client has.
     *
     * @param verdict what to do with it
     * @param cause the exception
     */
    public Unsent(Verdict verdict, Throwable cause) {
        this(verdict, line(cause), cause);
    }

    /** No client can be made, or none can connect: whatever went wrong, it is no message's fault. */
    static Unsent unreachable(Throwable error) {
        Throwable root = error;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String reason =
                root == error ? line(root) : "%s: %s".formatted(root.getClass().getSimpleName(), line(root));
        return new Unsent(Verdict.DOWN, reason, error);
    }

    /** {@return what to do with the message} */
    public Verdict verdict() {
        return verdict;
    }

    /** {@return what went wrong, in one line} */
    public String reason() {
        return line(this);
    }

    private static String line(Throwable error) {
        String message = error.getMessage();
        return message == null || message.isBlank()
                ? error.getClass().getSimpleName()
                : message.lines().findFirst().orElseThrow();
    }

    /** What to do with a message that was not sent. */
    public enum Verdict {
        /** The broker takes nothing from anybody: keep the message, and try again. */
        DOWN,
        /** No answer for this message. That of others tells whether it is the broker, or only the topic or queue. */
        STUCK,
        /** The broker will never take it: a dead letter. */
        REFUSED,
        /** Something else: the attempt counts. */
        FAILED,
        /** One of those under way is to blame, and it is not known which: send them again, one by one. */
        UNCERTAIN
    }
}
