package dev.jobqueue.internal.extend;

import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobListener;
import dev.jobqueue.spi.NodeMeter;
import java.util.List;
import java.util.function.Supplier;

/** The meters, listeners and interceptors of the application, ready to be called. */
public final class Extensions {

    /** An application without any. */
    public static final Extensions NONE = new Extensions(QueueEvents.NONE, Interceptors.NONE);

    private final QueueEvents events;
    private final Interceptors interceptors;
    private final JobListeners listeners;

    /**
     * @param expectsListeners whether listeners will be given to {@link #start}: then events wait for them
     * @param interceptors asked when the first job is published or handled, because they may need the publisher
     */
    public Extensions(List<NodeMeter> meters, boolean expectsListeners, Supplier<List<JobInterceptor>> interceptors) {
        this.listeners = new JobListeners(dropped -> meters.forEach(meter -> meter.dropped(dropped)), expectsListeners);
        this.events = new QueueEvents(meters, listeners);
        this.interceptors = new Interceptors(interceptors);
    }

    /** For tests that need only some of it. */
    public Extensions(QueueEvents events, Interceptors interceptors) {
        this.listeners = new JobListeners(dropped -> {}, false);
        this.events = events;
        this.interceptors = interceptors;
    }

    public QueueEvents events() {
        return events;
    }

    public Interceptors interceptors() {
        return interceptors;
    }

    /** Tells these listeners from now on, in this order. */
    public void start(List<JobListener> all) {
        listeners.start(all);
    }

    /** Tells the listeners what has happened so far, but does not wait for long. */
    public void stop() throws InterruptedException {
        listeners.stop();
    }
}
