package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.spi.BatchFunction;
import dev.jobqueue.spi.BatchedJob;
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
 * Sends the messages of one broker, a batch at a time. While the broker is not there it keeps the batch in hand and
 * tries again with one message, which costs neither attempts nor statements. When the application stops, what it has in
 * hand goes back to the queue at once.
 */
final class Forwarder implements BatchFunction<String>, SmartLifecycle, AutoCloseable {

    /** One batch is in hand, and the next one in the buffer of the node. */
    private static final int MOST = 1_000;

    /** How often to look whether a job was cancelled while the broker is not there. */
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
        return HandlerDefinition.ofBatch(status.queue(), String.class, this, MOST)
                .queue(status.queue());
    }

    @Override
    public void handle(List<BatchedJob<String>> jobs) {
        List<Shipment> open = read(jobs);
        try {
            send(open);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } finally {
            open.forEach(this::putBack);
        }
    }

    private List<Shipment> read(List<BatchedJob<String>> jobs) {
        List<Shipment> open = new ArrayList<>(jobs.size());
        for (BatchedJob<String> job : jobs) {
            try {
                Shipment shipment = new Shipment(job, reader.read(job.payload(), job.context()));
                String lane = shipment.lane();
                if (lane != null && broken.holdBack(lane, shipment.message().id())) {
                    job.putBack();
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
        boolean oneByOne = status.pause() != null;
        while (!open.isEmpty()) {
            Round round = new Round(sender, status, broken, properties.timeout().multipliedBy(2));
            round.run(oneByOne ? List.of(open.get(0)) : open);
            removeEnded(open);
            Throwable away = round.away();
            if (away != null) {
                tell(open, Sender.reason(away));
                if (!pause(open, backoff)) {
                    return;
                }
                backoff = longer(backoff);
            } else {
                backoff = properties.backoff();
            }
            // the one that hurts the others is looked for until it is found
            searching = round.isUncertain() || (searching && !round.hasRefused());
            oneByOne = searching || away != null;
        }
    }

    /**
     * Takes away what has ended. One that was not ended here may come again, and what is behind it in its lane has to
     * come after it.
     */
    private void removeEnded(List<Shipment> open) {
        Set<String> left = new HashSet<>();
        for (Shipment shipment : open) {
            String lane = shipment.lane();
            if (lane != null && !shipment.isSettled() && !shipment.isOpen()) {
                left.add(lane);
            }
        }
        open.stream().filter(shipment -> left.contains(shipment.lane())).forEach(this::putBack);
        open.removeIf(shipment -> !shipment.isOpen());
    }

    private Duration longer(Duration backoff) {
        Duration doubled = backoff.multipliedBy(2);
        return doubled.compareTo(properties.maxBackoff()) > 0 ? properties.maxBackoff() : doubled;
    }

    private void tell(List<Shipment> open, String reason) {
        boolean begins = status.pause() == null;
        status.away(reason, open.size());
        String stage = "waiting for %s since %s: %s"
                .formatted(
                        sender.broker(), Objects.requireNonNull(status.pause()).since(), reason);
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
    private void putBack(Shipment shipment) {
        if (shipment.isSettled()) {
            return;
        }
        String lane = shipment.lane();
        if (lane != null) {
            broken.add(lane, shipment.message().id());
        }
        shipment.putBack();
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
