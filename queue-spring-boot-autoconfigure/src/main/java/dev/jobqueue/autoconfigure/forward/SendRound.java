package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.forward.Sender.Verdict;
import dev.jobqueue.internal.Spans;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends what is in hand once, and waits for all answers. Messages of a lane are sent one after the other, each when the
 * one before was acknowledged, so that none overtakes one that the broker does not take; the lanes and all other
 * messages go side by side. Only the thread that runs a round changes anything: answers come by a queue.
 */
final class SendRound {

    private final Sender sender;
    private final ForwardStatus status;
    private final BrokenLanes broken;
    private final Duration timeout;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final Deque<Shipment> ready = new ArrayDeque<>();
    private final Map<String, Deque<Shipment>> behind = new HashMap<>();
    private int underWay;
    private @Nullable Throwable down;
    private boolean uncertain;
    private boolean refused;

    /**
     * @param timeout after how long without any answer the connection is given up
     */
    SendRound(Sender sender, ForwardStatus status, BrokenLanes broken, Duration timeout) {
        this.sender = sender;
        this.status = status;
        this.broken = broken;
        this.timeout = timeout;
    }

    /** Sends the shipments. Those that are open afterwards are to be sent again. */
    void run(Collection<Shipment> shipments) throws InterruptedException {
        shipments.forEach(this::lineUp);
        while (true) {
            while (down == null && !uncertain && !ready.isEmpty()) {
                send(ready.remove());
                for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
                    settle(answer);
                }
            }
            if (underWay == 0) {
                return;
            }
            Answer answer = answers.poll(timeout.toMillis(), TimeUnit.MILLISECONDS);
            if (answer != null) {
                settle(answer);
            } else {
                down = new JobQueueException("no answer within %s".formatted(Spans.text(timeout)));
                sender.reset();
            }
        }
    }

    /** {@return why the broker is down; {@code null} if it is not} */
    @Nullable
    Throwable down() {
        return down;
    }

    /** {@return whether one of the open shipments is to blame for what happened to all} */
    boolean isUncertain() {
        return uncertain;
    }

    /** {@return whether the broker did not take one of them} */
    boolean hasRefused() {
        return refused;
    }

    private void lineUp(Shipment shipment) {
        String lane = shipment.lane();
        if (lane == null) {
            ready.add(shipment);
            return;
        }
        Deque<Shipment> others = behind.get(lane);
        if (others == null) {
            behind.put(lane, new ArrayDeque<>());
            ready.add(shipment);
        } else {
            others.add(shipment);
        }
    }

    private void send(Shipment shipment) {
        if (!shipment.isOpen()) {
            // it ended elsewhere and may come again: those behind it wait for it
            breakLane(shipment);
            return;
        }
        underWay++;
        try {
            sender.send(shipment.message(), error -> answers.add(new Answer(shipment, error)));
        } catch (Exception ex) {
            answers.add(new Answer(shipment, ex));
        }
    }

    private void settle(Answer answer) {
        underWay--;
        Shipment shipment = answer.shipment();
        Throwable error = answer.error();
        if (error == null) {
            status.wasSent();
            if (shipment.complete()) {
                nextOf(shipment);
            } else {
                breakLane(shipment);
            }
            return;
        }
        Verdict verdict = sender.judge(error);
        switch (verdict) {
            // keep the first reason: a reset fails the messages under way without one
            case DOWN -> down = down == null ? error : down;
            case UNCERTAIN -> uncertain = true;
            case REFUSED, FAILED -> {
                refused = true;
                status.wasRefused();
                String reason = "%s: %s".formatted(sender.broker(), Sender.reason(error));
                shipment.fail(
                        verdict == Verdict.REFUSED
                                ? new PermanentJobException(reason, error)
                                : new JobQueueException(reason, error));
                breakLane(shipment);
            }
        }
    }

    private void nextOf(Shipment shipment) {
        Deque<Shipment> others = behind.get(shipment.lane());
        Shipment next = others == null ? null : others.poll();
        if (next != null) {
            ready.add(next);
        }
    }

    /** Puts back those behind one that was not sent: they come again behind it. */
    private void breakLane(Shipment shipment) {
        String lane = shipment.lane();
        if (lane == null) {
            return;
        }
        broken.add(lane, shipment.message().id());
        Deque<Shipment> others = behind.getOrDefault(lane, new ArrayDeque<>());
        for (Shipment other = others.poll(); other != null; other = others.poll()) {
            broken.add(lane, other.message().id());
            other.release();
        }
    }

    private record Answer(Shipment shipment, @Nullable Throwable error) {}
}
