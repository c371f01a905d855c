package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.autoconfigure.forward.broker.Sender;
import dev.jobqueue.autoconfigure.forward.broker.Unsent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends one bundle, round by round, until nothing of it is open. */
final class Delivery {

    /** How often the broker may be down until most messages are given back: other nodes may reach it. */
    private static final int TRIES_WITH_ALL = 3;

    /** How many messages try whether the broker is back: more than one, because not every topic may be. */
    private static final int FEW = 5;

    /** A stage may be so long. */
    private static final int LONGEST_STAGE = 200;

    private enum Mode {
        /** All at once; of a stuck place only one. */
        ALL,
        /** The first ones of a few places, while it is not known whether the broker is there. */
        FEW,
        /** One at a time, until the broker refuses the one that hurts the others. */
        ONE
    }

    private final Sender sender;
    private final ForwardStatus status;
    private final StuckPlaces stuck;
    private final Backoff backoff;
    private final List<Shipment> open;
    private Mode mode = Mode.ALL;
    private int tries;

    /**
     * @param open what to send; what is left in it afterwards has not been sent
     */
    Delivery(
            Sender sender,
            ForwardStatus status,
            StuckPlaces stuck,
            QueueProperties.Forward properties,
            List<Shipment> open) {
        this.sender = sender;
        this.status = status;
        this.stuck = stuck;
        this.backoff = new Backoff(properties);
        this.open = open;
    }

    /** Ends early if the application stops while the broker is down. */
    void run(CountDownLatch stopped) throws InterruptedException {
        snoozeStuck();
        while (!open.isEmpty()) {
            SendRound round = new SendRound(sender, status, pick());
            round.run();
            removeEnded();
            stuck.working(round.working());
            String outage = outage(round);
            if (outage == null) {
                mode = next(round);
                continue;
            }
            sender.reset();
            mode = Mode.FEW;
            giveBack();
            tell(outage);
            if (stopped.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS)) {
                return;
            }
        }
    }

    /** No answer on a new connection either, not even to a greeting, is an outage too. */
    private @Nullable String outage(SendRound round) {
        Unsent down = round.down();
        if (down != null) {
            return down.reason();
        }
        boolean isSilent = mode == Mode.FEW && !round.stuck().isEmpty() && !isThere(round);
        return isSilent ? round.stuck().values().iterator().next() : null;
    }

    /** Whether what is stuck is so although the broker is there. */
    private boolean isThere(SendRound round) {
        // in this mode there was a reset before: the broker has greeted since then, or not
        return !round.working().isEmpty()
                || (mode == Mode.FEW && round.wasThere())
                || stuck.containsAll(round.stuck().keySet());
    }

    private Mode next(SendRound round) {
        if (!round.stuck().isEmpty()) {
            if (!isThere(round)) {
                sender.reset();
                return Mode.FEW;
            }
            status.isBack();
            stuck.found(round.stuck());
            snoozeStuck();
            return Mode.ALL;
        }
        boolean searches = mode == Mode.ONE || round.isUncertain();
        return searches && !round.hasRefused() ? Mode.ONE : Mode.ALL;
    }

    private void snoozeStuck() {
        for (Shipment each : open) {
            Duration pause = stuck.pauseOf(each.place());
            if (!pause.isZero()) {
                each.snooze(pause);
            }
        }
        removeEnded();
    }

    private void removeEnded() {
        open.removeIf(each -> !each.isOpen());
    }

    /** Nothing overtakes another one of its lane. */
    private List<Shipment> pick() {
        List<Shipment> picked = new ArrayList<>();
        Set<String> places = new HashSet<>();
        Set<Long> waiting = new HashSet<>();
        for (Shipment each : open) {
            Long lane = each.lane();
            boolean mayGo = lane == null || !waiting.contains(lane);
            if (mayGo && isWanted(each.place(), places, picked.size())) {
                picked.add(each);
            } else if (lane != null) {
                waiting.add(lane);
            }
        }
        return picked;
    }

    private boolean isWanted(String place, Set<String> places, int picked) {
        return switch (mode) {
            case ALL -> !stuck.contains(place) || places.add(place);
            case FEW -> picked < FEW && places.add(place);
            case ONE -> picked == 0;
        };
    }

    /** This node has no free slot meanwhile, so it does not claim them again. */
    private void giveBack() {
        if (++tries == TRIES_WITH_ALL) {
            List<Shipment> kept = pick();
            open.stream()
                    .filter(each -> !kept.contains(each))
                    .forEach(each -> each.job().release());
            removeEnded();
        }
    }

    /** Each call is a statement, so only those that are tried say it. */
    private void tell(String reason) {
        boolean begins = status.outage() == null;
        String since = status.isDown(reason, open.size()).since().toString();
        if (begins) {
            String stage = "waiting for %s since %s: %s".formatted(sender.broker(), since, reason);
            String cut = stage.substring(0, Math.min(stage.length(), LONGEST_STAGE));
            pick().forEach(each -> each.tell(cut));
        }
    }
}
