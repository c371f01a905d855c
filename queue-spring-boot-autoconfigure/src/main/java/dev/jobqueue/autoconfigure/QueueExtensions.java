package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.Interceptors;
import dev.jobqueue.internal.JobListeners;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.SeveralEvents;
import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobListener;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;

/**
 * The {@link JobInterceptor} and {@link JobListener} beans, those of parent contexts too. They may need the publisher,
 * so nobody asks for an interceptor before the first job is published or handled, nor for a listener before all beans
 * are there: events wait until then. Listeners are stopped after everything that has something to tell.
 */
final class QueueExtensions implements SmartLifecycle {

    private final ObjectProvider<JobListener> listenerBeans;
    private final JobListeners listeners;
    private final QueueEvents events;
    private final Interceptors interceptors;
    private volatile boolean running;

    /**
     * @param meters count what happens on this node
     */
    QueueExtensions(
            ListableBeanFactory beans,
            QueueEvents meters,
            ObjectProvider<JobListener> listeners,
            ObjectProvider<JobInterceptor> interceptors) {
        this.listenerBeans = listeners;
        this.listeners = new JobListeners(meters, expectsListeners(beans));
        this.events = new SeveralEvents(meters, this.listeners);
        this.interceptors = new Interceptors(() -> interceptors.orderedStream().toList());
    }

    /** By name only: nothing is made to find out. */
    private static boolean expectsListeners(ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, JobListener.class, true, false).length > 0;
    }

    QueueEvents events() {
        return events;
    }

    Interceptors interceptors() {
        return interceptors;
    }

    @Override
    public void start() {
        listeners.start(listenerBeans.orderedStream().toList());
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        try {
            listeners.stop();
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Starts first and stops last. */
    @Override
    public int getPhase() {
        return Integer.MIN_VALUE;
    }
}
