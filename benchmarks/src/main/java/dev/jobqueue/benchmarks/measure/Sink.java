package dev.jobqueue.benchmarks.measure;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Where the handlers of all subjects end: notes when each job was begun. Static, because some peers make the handler.
 */
public final class Sink {

    private static volatile Sink current = new Sink(0, Duration.ZERO, false);

    private final AtomicLongArray begunAt;
    private final AtomicLongArray inOrder;
    private final AtomicInteger seen = new AtomicInteger();
    private final AtomicInteger repeated = new AtomicInteger();
    private final CountDownLatch any = new CountDownLatch(1);
    private final CountDownLatch all = new CountDownLatch(1);
    private final Duration work;
    private final boolean anyIds;

    private Sink(int jobs, Duration work, boolean anyIds) {
        this.begunAt = new AtomicLongArray(jobs);
        this.inOrder = new AtomicLongArray(jobs);
        this.work = work;
        this.anyIds = anyIds;
    }

    /** From now on handlers report here; those of ids beyond the number are not counted. */
    public static Sink expect(int jobs) {
        return expect(jobs, Duration.ZERO);
    }

    /**
     * Expects jobs of handlers that take their time.
     *
     * @param work how long each handler takes
     */
    public static Sink expect(int jobs, Duration work) {
        return current(new Sink(jobs, work, false));
    }

    /** So many jobs, whichever they are. */
    public static Sink expectAny(int jobs) {
        return current(new Sink(jobs, Duration.ZERO, true));
    }

    private static Sink current(Sink sink) {
        current = sink;
        return sink;
    }

    /** The handler of every subject. */
    public static void handle(long id, String text) throws InterruptedException {
        long now = System.nanoTime();
        Sink sink = current;
        if (text.isEmpty()) {
            throw new IllegalStateException("The payload of job " + id + " is empty");
        }
        sink.note(id, now);
        if (!sink.work.isZero()) {
            Thread.sleep(sink.work.toMillis());
        }
    }

    private void note(long id, long now) {
        if (!anyIds && !isNew(id, now)) {
            return;
        }
        int position = seen.getAndIncrement();
        if (position >= inOrder.length()) {
            return;
        }
        inOrder.set(position, now);
        if (position == 0) {
            any.countDown();
        }
        if (position + 1 == begunAt.length()) {
            all.countDown();
        }
    }

    private boolean isNew(long id, long now) {
        if (id < 0 || id >= begunAt.length()) {
            return false;
        }
        boolean isNew = begunAt.compareAndSet((int) id, 0, now);
        if (!isNew) {
            repeated.incrementAndGet();
        }
        return isNew;
    }

    /** Until the first handler began. */
    public boolean awaitFirst(Duration patience) throws InterruptedException {
        return any.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    public boolean await(Duration patience) throws InterruptedException {
        return all.await(patience.toMillis(), TimeUnit.MILLISECONDS);
    }

    public int seen() {
        return Math.min(seen.get(), inOrder.length());
    }

    /** Jobs that were handled more than once. */
    public int repeated() {
        return repeated.get();
    }

    public long begunAt(int id) {
        return begunAt.get(id);
    }

    /** When the first handler began. */
    public long first() {
        return inOrder.get(0);
    }

    /** Jobs per second between two shares, from 0 to 1, of those seen. */
    public double rate(double from, double to) {
        int count = seen();
        int begin = (int) (count * from);
        int end = Math.min(count - 1, (int) (count * to));
        return end <= begin ? Double.NaN : (end - begin) * 1e9 / (inOrder.get(end) - inOrder.get(begin));
    }
}
