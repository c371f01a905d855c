package dev.jobqueue.internal.flow;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Rounds;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.flow.ResolveCalls.Resolution;
import java.time.Duration;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Looks at batches and flows of which something ended, frees the steps that waited for it and publishes what follows.
 * Every node does it, first of all for the jobs that it settled itself; the database lets one at a time look at a flow.
 */
public final class Resolver {

    private static final int BATCH = 1_000;

    /** How soon to look again for what another node is looking at: it may die doing so. */
    private static final Duration BUSY_PAUSE = Duration.ofMillis(5);

    /**
     * The pause after a round that freed nothing, while members of large batches end one after the other: the longer
     * that goes on, the more of them share a round.
     */
    private static final Duration SHORTEST_GAP = Duration.ofMillis(1);

    private static final Duration LONGEST_GAP = Duration.ofMillis(16);

    private final Steps steps;
    private final Supplier<Duration> poll;
    private final QueueEvents events;
    private final Rounds rounds = new Rounds("queue-resolver", "Resolving flows", this::round);
    private Duration gap = SHORTEST_GAP;
    private volatile boolean running = true;

    /**
     * @param poll how often to look for what nothing told of; asked before each pause
     */
    public Resolver(Steps steps, Supplier<Duration> poll, QueueEvents events) {
        this.steps = steps;
        this.poll = poll;
        this.events = events;
    }

    public void start() {
        rounds.start();
    }

    public Loop loop() {
        return rounds.loop();
    }

    /** A job of a batch or flow ended, or something else that they wait for came. */
    public void wake() {
        rounds.wake();
    }

    public Outage outage() {
        return rounds.outage();
    }

    public void close() throws InterruptedException {
        running = false;
        rounds.close();
    }

    private Duration round() {
        Resolution last = steps.resolve(BATCH);
        boolean freed = tell(last);
        boolean worked = last.folded() > 0;
        while (running && last.more() && last.folded() > 0) {
            last = steps.resolve(BATCH);
            freed |= tell(last);
        }
        if (worked && !freed) {
            rounds.loop().pause(gap);
            gap = gap.compareTo(LONGEST_GAP) < 0 ? gap.multipliedBy(2) : LONGEST_GAP;
        } else {
            gap = SHORTEST_GAP;
        }
        if (last.more()) {
            return BUSY_PAUSE;
        }
        Duration longest = poll.get();
        return last.left().filter(each -> each.compareTo(longest) < 0).orElse(longest);
    }

    private boolean tell(Resolution resolution) {
        if (!resolution.queues().isEmpty()) {
            steps.wake(resolution.queues());
        }
        resolution
                .finished()
                .forEach(each -> events.flowFinished(each.kind(), each.name(), each.state(), each.duration()));
        return resolution.freed();
    }

    /** What the resolver needs of its node. */
    public interface Steps {

        /** Takes ticks, so many at most. Steps that became free may run on this node already. */
        Resolution resolve(int max);

        /** After the commit: jobs are ready in these queues; an empty name stands for jobs that are due later. */
        void wake(Set<String> queues);
    }
}
