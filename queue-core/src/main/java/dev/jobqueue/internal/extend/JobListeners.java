package dev.jobqueue.internal.extend;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.JobListener;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happens on this node, on a thread of its own. Whoever works only adds an event to a bounded
 * queue; events that find the queue full are dropped and counted.
 */
public final class JobListeners {

    /** How many events wait at most. */
    public static final int CAPACITY = 10_000;

    private static final Logger log = LoggerFactory.getLogger(JobListeners.class);

    private final IntConsumer onDropped;
    private final LinkedBlockingQueue<JobEvent> events = new LinkedBlockingQueue<>(CAPACITY);
    private final AtomicLong dropped = new AtomicLong();

    private volatile ListenerCalls calls = new ListenerCalls(List.of());
    private volatile boolean listening;
    private volatile boolean closing;
    private volatile @Nullable Loop loop;

    /**
     * @param onDropped counts the events that are dropped
     * @param expecting whether listeners will come: then events wait for the start
     */
    JobListeners(IntConsumer onDropped, boolean expecting) {
        this.onDropped = onDropped;
        this.listening = expecting;
    }

    /** Tells these listeners from now on, in this order. Without one of them no thread is started. */
    void start(List<JobListener> all) {
        calls = new ListenerCalls(all);
        listening = !all.isEmpty();
        if (all.isEmpty()) {
            events.clear();
            return;
        }
        closing = false;
        Loop started = Loop.daemon("queue-listeners", this::round);
        loop = started;
        started.start();
    }

    /** Tells what has happened so far, but does not wait for long; what comes later is not told. */
    void stop() throws InterruptedException {
        listening = false;
        closing = true;
        Loop current = loop;
        if (current != null) {
            current.join(Threads.CLOSE_WAIT);
            current.end();
            current.interrupt();
            current.join(Threads.CLOSE_WAIT);
            loop = null;
        }
        if (!events.isEmpty()) {
            log.warn("{} events were not told before the listeners were stopped", events.size());
            events.clear();
        }
    }

    boolean isRunning() {
        return loop != null;
    }

    private void round() throws InterruptedException {
        Loop current = loop;
        if (current != null) {
            current.waits();
        }
        JobEvent event = events.poll(100, TimeUnit.MILLISECONDS);
        if (current != null) {
            current.works();
        }
        if (event != null) {
            calls.tell(event);
        } else if (closing && current != null) {
            current.end();
        }
        calls.reportDropped(dropped.get());
    }

    boolean isListening() {
        return listening;
    }

    /** However full the heap is, nobody who works is harmed. */
    void add(JobEvent event) {
        if (!listening) {
            return;
        }
        try {
            if (!events.offer(event)) {
                drop(1);
            }
        } catch (OutOfMemoryError ex) {
            dropped.incrementAndGet();
        }
    }

    /** There were so many more events than were handed over. */
    void leftOut(int more) {
        if (listening && more > 0) {
            drop(more);
        }
    }

    private void drop(int more) {
        dropped.addAndGet(more);
        onDropped.accept(more);
    }
}
