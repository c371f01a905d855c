package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.WorkerLifecycle;
import dev.jobqueue.autoconfigure.forward.broker.Sender;
import dev.jobqueue.spi.BundleFunction;
import dev.jobqueue.spi.BundledJob;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.context.SmartLifecycle;

/**
 * Sends the messages of one broker, a bundle at a time. While the broker is down it keeps some in hand and tries again
 * with them, which costs no attempts. When the application stops, what it has in hand goes back to the queue at once.
 */
final class Forwarder implements BundleFunction<String>, SmartLifecycle, AutoCloseable {

    /** One bundle is in hand, and the next one in the buffer of the node. */
    private static final int MOST = 1_000;

    private final Sender sender;
    private final MessageReader reader;
    private final ForwardStatus status;
    private final QueueProperties.Forward properties;
    private final StuckPlaces stuck;

    /** A call that ignored its interrupt may still be under way when the next one comes. */
    private final ReentrantLock oneCall = new ReentrantLock();

    private volatile CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean running;

    Forwarder(Sender sender, MessageReader reader, ForwardStatus status, QueueProperties.Forward properties) {
        this.sender = sender;
        this.reader = reader;
        this.status = status;
        this.properties = properties;
        this.stuck = new StuckPlaces(status, properties);
    }

    /** The handler of its type, which is also the name of its queue. */
    HandlerDefinition handler() {
        return HandlerDefinition.ofBundle(status.queue(), String.class, this, MOST)
                .queue(status.queue());
    }

    @Override
    public void handle(List<BundledJob<String>> jobs) throws InterruptedException {
        oneCall.lockInterruptibly();
        try {
            new Delivery(sender, status, stuck, properties, read(jobs)).run(stopped);
        } finally {
            // those that have ended stay as they are
            jobs.forEach(BundledJob::release);
            status.letGo();
            oneCall.unlock();
        }
    }

    private List<Shipment> read(List<BundledJob<String>> jobs) {
        List<Shipment> open = new ArrayList<>(jobs.size());
        for (BundledJob<String> job : jobs) {
            try {
                open.add(new Shipment(job, reader.read(job.payload(), job.context())));
            } catch (Throwable ex) {
                // an error would cost all of them an attempt
                job.fail(ex);
            }
        }
        return open;
    }

    @Override
    public void start() {
        stopped = new CountDownLatch(1);
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        stopped.countDown();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops just before the worker does, which would wait for what is in hand, and hand over more until it stops. */
    @Override
    public int getPhase() {
        return WorkerLifecycle.PHASE + 1;
    }

    @Override
    public void close() {
        sender.close();
    }
}
