package dev.jobqueue.internal.handle;

import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a transactional handler reported and the database does not know yet. Such a handler holds a connection, and must
 * not wait for a second one: handlers that hold all there are would wait for each other.
 */
final class Reports {

    /** How many reports are kept; the oldest are dropped when there are more. */
    private static final int MOST = 1_000;

    private final Deque<Consumer<ReportCalls>> waiting = new ConcurrentLinkedDeque<>();
    private final AtomicBoolean announced = new AtomicBoolean();
    private final AtomicInteger count = new AtomicInteger();

    /** Held only by threads that have a connection already, so nobody waits for it longer than a statement takes. */
    private final Lock sending = new ReentrantLock();

    /** Keeps a report; {@code true} if nobody was told yet to send it. */
    boolean add(Consumer<ReportCalls> report) {
        waiting.add(report);
        if (count.incrementAndGet() > MOST) {
            next();
        }
        return announced.compareAndSet(false, true);
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /**
     * Sends what waits, in order, over the connection that the calls' transaction has.
     *
     * @param sent gets each report before it is sent: if one fails, none of them is stored
     */
    void send(ReportCalls calls, List<Consumer<ReportCalls>> sent) {
        sending.lock();
        try {
            announced.set(false);
            for (Consumer<ReportCalls> report = next(); report != null; report = next()) {
                sent.add(report);
                report.accept(calls);
            }
        } finally {
            sending.unlock();
        }
    }

    /** Keeps reports that were not stored, before those that came since. The next one is announced again. */
    void keep(List<Consumer<ReportCalls>> notStored) {
        for (int i = notStored.size() - 1; i >= 0; i--) {
            waiting.addFirst(notStored.get(i));
            count.incrementAndGet();
        }
        announced.set(false);
    }

    void clear() {
        waiting.clear();
        count.set(0);
    }

    private @Nullable Consumer<ReportCalls> next() {
        Consumer<ReportCalls> report = waiting.poll();
        if (report != null) {
            count.decrementAndGet();
        }
        return report;
    }
}
