package dev.jobqueue.internal;

import java.util.concurrent.ThreadFactory;

/** The threads of the queue's own machinery. */
public final class Threads {

    private Threads() {}

    public static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }
}
