package dev.jobqueue.internal;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;

/** The threads of the queue's own machinery. */
public final class Threads {

    /** How long a shutdown waits for a thread of ours: nothing interrupts a call that hangs in the database. */
    public static final Duration CLOSE_WAIT = Duration.ofSeconds(1);

    private Threads() {}

    public static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
