package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.application.JobQueue;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the worker when everything else is up, web server included. Stops it in the phase of the web server's graceful
 * shutdown, and on a thread of its own: running jobs and running requests are waited for at the same time. Requests may
 * publish until the end; other nodes handle those jobs.
 */
public final class WorkerLifecycle implements SmartLifecycle {

    /** The phase of the web server's graceful shutdown. The server itself starts before it and stops after it. */
    public static final int PHASE = SmartLifecycle.DEFAULT_PHASE - 1024;

    private final JobQueue queue;
    private final Runnable start;

    /**
     * @param start starts the node of the queue
     */
    WorkerLifecycle(JobQueue queue, Runnable start) {
        this.queue = queue;
        this.start = start;
    }

    @Override
    public void start() {
        start.run();
    }

    @Override
    public void stop() {
        try {
            queue.stopNode();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void stop(Runnable callback) {
        new Thread(
                        () -> {
                            try {
                                stop();
                            } finally {
                                callback.run();
                            }
                        },
                        "queue-stop")
                .start();
    }

    @Override
    public boolean isRunning() {
        return queue.hasNode();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
