package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.extend.Extensions;
import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobListener;
import dev.jobqueue.spi.NodeMeter;
import java.util.List;
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
    private final Extensions extensions;
    private volatile boolean running;

    /**
     * @param meters count what happens on this node
     */
    QueueExtensions(
            ListableBeanFactory beans,
            List<NodeMeter> meters,
            ObjectProvider<JobListener> listeners,
            ObjectProvider<JobInterceptor> interceptors) {
        this.listenerBeans = listeners;
        this.extensions = new Extensions(
                meters,
                expectsListeners(beans),
                () -> interceptors.orderedStream().toList());
    }

    /** Looks for bean names only, so that no bean is made to find out. */
    private static boolean expectsListeners(ListableBeanFactory beans) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, JobListener.class, true, false).length > 0;
    }

    Extensions all() {
        return extensions;
    }

    @Override
    public void start() {
        extensions.start(listenerBeans.orderedStream().toList());
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        try {
            extensions.stop();
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
