package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.autoconfigure.forward.broker.Sender;
import dev.jobqueue.autoconfigure.forward.broker.Unsent;
import dev.jobqueue.autoconfigure.forward.broker.Unsent.Verdict;
import dev.jobqueue.internal.Spans;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages once, and waits for all answers. Messages of a lane are sent one after the other, each when the one
 * before was acknowledged; the lanes and all other messages go side by side. Those behind one that did not get through
 * are given back by the core, or stay open. Only the thread that runs a round changes anything: answers come by a
 * queue.
 */
final class SendRound {

    private final Sender sender;
    private final ForwardStatus status;
    private final BlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final Deque<Shipment> ready = new ArrayDeque<>();
    private final Map<Long, Deque<Shipment>> behind = new HashMap<>();
    private final Map<String, String> stuck = new HashMap<>();
    private final Set<String> working = new HashSet<>();
    private final boolean alone;
    private final Set<Shipment> underWay = Collections.newSetFromMap(new IdentityHashMap<>());
    private boolean gaveUp;
    private boolean there;
    private boolean uncertain;
    private boolean refused;
    private @Nullable Unsent down;

    SendRound(Sender sender, ForwardStatus status, Collection<Shipment> shipments) {
        this.sender = sender;
        this.status = status;
        this.alone = shipments.size() == 1;
        shipments.forEach(this::lineUp);
    }

    private void lineUp(Shipment shipment) {
        Long lane = shipment.lane();
        Deque<Shipment> others = lane == null ? null : behind.get(lane);
        if (others != null) {
            others.add(shipment);
            return;
        }
        if (lane != null) {
            behind.put(lane, new ArrayDeque<>());
        }
        ready.add(shipment);
    }

    /** Sends the shipments. Those that are open afterwards are to be sent again. */
    void run() throws InterruptedException {
        while (true) {
            while (down == null && !uncertain && !gaveUp && !ready.isEmpty()) {
                send(ready.remove());
                for (Answer answer = answers.poll(); answer != null; answer = answers.poll()) {
                    settle(answer);
                }
            }
            if (underWay.isEmpty()) {
                return;
            }
            Answer answer = answers.poll(sender.patience().toMillis(), TimeUnit.MILLISECONDS);
            if (answer != null) {
                settle(answer);
            } else if (gaveUp) {
                underWay.forEach(each -> stuck.putIfAbsent(each.place(), noAnswer()));
                return;
            } else {
                giveUp();
            }
        }
    }

    private void giveUp() {
        gaveUp = true;
        // afterwards it says nothing about the connection on which no answer came
        there = sender.isThere();
        sender.reset();
    }

    private void send(Shipment shipment) {
        if (!shipment.isOpen()) {
            nextOf(shipment);
            return;
        }
        underWay.add(shipment);
        sender.send(shipment.message(), error -> answers.add(new Answer(shipment, error)));
    }

    private void settle(Answer answer) {
        Shipment shipment = answer.shipment();
        if (!underWay.remove(shipment)) {
            // a client may call back for a message, and throw an exception too
            return;
        }
        Unsent error = answer.error();
        if (error == null) {
            status.wasSent();
            working.add(shipment.place());
            shipment.job().complete(null);
            nextOf(shipment);
            return;
        }
        switch (verdict(error)) {
            case DOWN -> down = down == null ? error : down;
            case STUCK -> stuck.putIfAbsent(shipment.place(), gaveUp ? noAnswer() : error.reason());
            case UNCERTAIN -> uncertain = true;
            case REFUSED -> fail(shipment, new PermanentJobException(reason(error), error.getCause()));
            case FAILED -> fail(shipment, new JobQueueException(reason(error), error.getCause()));
        }
    }

    private Verdict verdict(Unsent error) {
        if (gaveUp) {
            // the reset ends all that was under way, each with an error of its own kind
            return Verdict.STUCK;
        }
        return alone && error.verdict() == Verdict.UNCERTAIN ? Verdict.FAILED : error.verdict();
    }

    private void fail(Shipment shipment, RuntimeException cause) {
        refused = true;
        status.wasRefused();
        working.add(shipment.place());
        shipment.job().fail(cause);
        nextOf(shipment);
    }

    private String reason(Unsent error) {
        return "%s: %s".formatted(sender.broker(), error.reason());
    }

    private String noAnswer() {
        return "no answer within %s".formatted(Spans.text(sender.patience()));
    }

    private void nextOf(Shipment shipment) {
        Deque<Shipment> others = behind.get(shipment.lane());
        Shipment next = others == null ? null : others.poll();
        if (next != null) {
            ready.add(next);
        }
    }

    /** {@return why the broker takes nothing; {@code null} if it does} */
    @Nullable
    Unsent down() {
        return down;
    }

    /** {@return the places from which no answer came, and why} */
    Map<String, String> stuck() {
        return stuck;
    }

    /** {@return the places from which an answer came} */
    Set<String> working() {
        return working;
    }

    /** {@return whether the broker has answered, if only to a greeting, on the connection of this round} */
    boolean wasThere() {
        return gaveUp ? there : sender.isThere();
    }

    /** {@return whether one of the open shipments is to blame for what happened to all} */
    boolean isUncertain() {
        return uncertain;
    }

    /** {@return whether the broker did not take one of them} */
    boolean hasRefused() {
        return refused;
    }

    private record Answer(Shipment shipment, @Nullable Unsent error) {}
}
