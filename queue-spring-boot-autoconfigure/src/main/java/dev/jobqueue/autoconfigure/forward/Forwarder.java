package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.spi.BundleFunction;
import dev.jobqueue.spi.BundledJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.springframework.context.SmartLifecycle;

/**
 * Sends the messages of one broker, a bundle at a time. While the broker is down it keeps the bundle in hand and tries
 * again with one message, which costs neither attempts nor statements. When the application stops, what it has in
 * hand goes back to the queue at once.
 */
final class Forwarder implements BundleFunction<String>, SmartLifecycle, AutoCloseable {

    /** One bundle is in hand, and the next one in the buffer of the node. */
    private static final int MOST = 1_000;

    /** How often to look whether a job was cancelled while the broker is down. */
    private static final Duration LOOK = Duration.ofMillis(200);

    private final Sender sender;
    private final MessageReader reader;
    private final ForwardStatus status;
    private final QueueProperties.Forward properties;
    private final BrokenLanes broken = new BrokenLanes();
    private volatile CountDownLatch stopped = new CountDownLatch(1);
    private volatile boolean running;

    Forwarder(Sender sender, MessageReader reader, ForwardStatus status, QueueProperties.Forward properties) {
        this.sender = sender;
        this.reader = reader;
        this.status = status;
        this.properties = properties;
    }

    /** The handler of its type, which is also the name of its queue. */
    HandlerDefinition handler() {
        return HandlerDefinition.ofBundle(status.queue(), String.class, this, MOST)
                .queue(status.queue());
    }

    @Override
    public void handle(List<BundledJob<String>> jobs) {
        List<Shipment> open = read(jobs);
        try {
            send(open);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            open.forEach(this::release);
        }
    }

    private List<Shipment> read(List<BundledJob<String>> jobs) {
        List<Shipment> open = new ArrayList<>(jobs.size());
        for (BundledJob<String> job : jobs) {
            try {
                Shipment shipment = new Shipment(job, reader.read(job.payload(), job.context()));
                String lane = shipment.lane();
                if (lane != null && broken.holdBack(lane, shipment.message().id())) {
                    job.release();
                } else {
                    open.add(shipment);
                }
            } catch (PermanentJobException ex) {
                job.fail(ex);
            }
        }
        return open;
    }

    /** Sends until nothing is open, or the application stops. */
    private void send(List<Shipment> open) throws InterruptedException {
        Duration backoff = properties.backoff();
        boolean searching = false;
        boolean oneByOne = status.outage() != null;
        while (!open.isEmpty()) {
            SendRound round =
                    new SendRound(sender, status, broken, properties.timeout().multipliedBy(2));
            round.run(oneByOne ? List.of(open.get(0)) : open);
            removeEnded(open);
            Throwable down = round.down();
            if (down != null) {
                tell(open, Sender.reason(down));
                if (!pause(open, backoff)) {
                    return;
                }
                backoff = longer(backoff);
            } else {
                backoff = properties.backoff();
            }
            // send one by one until the broker refuses one
            searching = round.isUncertain() || (searching && !round.hasRefused());
            oneByOne = searching || down != null;
        }
    }

    /**
     * Takes away what has ended. A job that ended elsewhere may come again, so those behind it in its lane go back.
     */
    private void removeEnded(List<Shipment> open) {
        Set<String> left = new HashSet<>();
        for (Shipment shipment : open) {
            String lane = shipment.lane();
            if (lane != null && !shipment.isSettled() && !shipment.isOpen()) {
                left.add(lane);
            }
        }
        open.stream().filter(shipment -> left.contains(shipment.lane())).forEach(this::release);
        open.removeIf(shipment -> !shipment.isOpen());
    }

    private Duration longer(Duration backoff) {
        Duration doubled = backoff.multipliedBy(2);
        return doubled.compareTo(properties.maxBackoff()) > 0 ? properties.maxBackoff() : doubled;
    }

    private void tell(List<Shipment> open, String reason) {
        boolean begins = status.outage() == null;
        status.isDown(reason, open.size());
        String stage = "waiting for %s since %s: %s"
                .formatted(
                        sender.broker(), Objects.requireNonNull(status.outage()).since(), reason);
        if (begins) {
            open.forEach(shipment -> shipment.tell(stage));
        }
    }

    /** Waits, and returns whether to try again. */
    private boolean pause(List<Shipment> open, Duration backoff) throws InterruptedException {
        long end = System.nanoTime() + backoff.toNanos();
        for (long left = backoff.toNanos(); left > 0; left = end - System.nanoTime()) {
            if (stopped.await(Math.min(left, LOOK.toNanos()), TimeUnit.NANOSECONDS)) {
                return false;
            }
            if (open.stream().noneMatch(Shipment::isOpen)) {
                return false;
            }
        }
        return true;
    }

    /** What is behind it in its lane must not be sent before it comes again. */
    private void release(Shipment shipment) {
        if (shipment.isSettled()) {
            return;
        }
        String lane = shipment.lane();
        if (lane != null) {
            broken.add(lane, shipment.message().id());
        }
        shipment.release();
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

    /** Stops before the worker does, which would wait for what is in hand. */
    @Override
    public int getPhase() {
        return SmartLifecycle.DEFAULT_PHASE - 1;
    }

    @Override
    public void close() {
        sender.close();
    }
}
