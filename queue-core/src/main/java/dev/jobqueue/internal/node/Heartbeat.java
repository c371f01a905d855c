package dev.jobqueue.internal.node;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.handle.RunningJob.Stop;
import dev.jobqueue.internal.node.NodeCalls.Held;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.node.NodeCalls.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the database that this node lives, and stops the jobs that are no longer its own or that somebody cancelled. A
 * node that was declared dead meanwhile lets go of all its jobs and goes on under a new id.
 */
final class Heartbeat {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    /** How often to ask for cancelled jobs while some run: the notification is quicker, but only a hint. */
    private static final Duration WHILE_BUSY = Duration.ofSeconds(2);

    /** How often to ask while no notifications arrive, or while a claim may have left jobs unknown to this node. */
    private static final Duration WHILE_UNSURE = Duration.ofSeconds(1);

    /** The shortest time between two beats because of notifications, which anybody may send as often as they like. */
    private static final Duration BETWEEN_HINTS = Duration.ofMillis(100);

    /** How often to check, in memory, whether the next beat has become due earlier. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /**
     * A running job that this node does not know of goes back after this long, if a claim is known to be unanswered.
     */
    private static final Duration UNKNOWN_AFTER = Duration.ofSeconds(3);

    private final NodeCalls calls;
    private final JobsInFlight inFlight;
    private final WorkerIdentity identity;
    private final Timing timing;
    private final Watch watch;
    private final Outage outage = new Outage("Heartbeat");
    private final Loop loop = Loop.daemon("queue-heartbeat", this::round);
    private volatile boolean hurried;
    private volatile boolean hinted;
    private boolean fit = true;
    private volatile long lastBeat = System.nanoTime();

    /**
     * How often to beat.
     *
     * @param listening whether notifications arrive that tell of cancelled jobs
     */
    record Timing(Duration interval, BooleanSupplier listening) {}

    /** What the heartbeat needs to know of the rest of its node. */
    interface Watch {

        /** This node as others see it. */
        Registration describe(UUID workerId);

        /** Whether a claim is under way, whose jobs are not in flight yet. */
        boolean isClaiming();

        /** Jobs may have been given back that this node did not know of. */
        void gaveBack();

        /** Why this node cannot handle its jobs to the end; {@code null} while it can. */
        @Nullable
        String trouble();
    }

    Heartbeat(NodeCalls calls, JobsInFlight inFlight, WorkerIdentity identity, Timing timing, Watch watch) {
        this.calls = calls;
        this.inFlight = inFlight;
        this.identity = identity;
        this.timing = timing;
        this.watch = watch;
        identity.onDeclaredDead(this::hurry);
    }

    void start() {
        loop.start();
    }

    Loop loop() {
        return loop;
    }

    Duration sinceLastBeat() {
        return Duration.ofNanos(System.nanoTime() - lastBeat);
    }

    Outage outage() {
        return outage;
    }

    /** Beats now: something looks as if this node was declared dead. */
    void hurry() {
        hurried = true;
        loop.wake();
    }

    /** Somebody says that this job was cancelled: if it runs here, ask the database soon, once for many such hints. */
    void askSoonAbout(UUID id) {
        if (inFlight.contains(id)) {
            hinted = true;
            loop.wake();
        }
    }

    void close() throws InterruptedException {
        loop.end();
        Thread goodbye = Threads.daemon("queue-goodbye").newThread(this::sayGoodbye);
        goodbye.start();
        goodbye.join(Threads.CLOSE_WAIT.toMillis());
    }

    private void sayGoodbye() {
        try {
            loop.join(Threads.CLOSE_WAIT);
            calls.unregister(identity.id());
        } catch (RuntimeException | InterruptedException ex) {
            log.info(
                    "Worker {} could not be unregistered, it is declared dead after its ttl: {}",
                    identity.id(),
                    Errors.reason(ex));
        }
    }

    private void round() {
        Duration pause = isFit() ? beat() : min(timing.interval(), WHILE_UNSURE);
        long begin = System.nanoTime();
        for (long left = left(begin, pause); loop.isRunning() && !hurried && left > 0; left = left(begin, pause)) {
            loop.park(Math.min(left, LOOK.toNanos()));
        }
        hurried = false;
        hinted = false;
    }

    /** A node that cannot handle its jobs to the end keeps silent, so that others take them after its time to live. */
    private boolean isFit() {
        String found = watch.trouble();
        if (found != null && fit) {
            log.error("Heartbeats stop, so that other nodes rescue the jobs of this node: {}", found);
        } else if (found == null && !fit) {
            log.warn("Heartbeats go on");
        }
        fit = found == null;
        return fit;
    }

    /** Computed again after each look: the pause gets shorter as soon as a job runs that somebody may cancel. */
    private long left(long begin, Duration pause) {
        Duration patience = pause;
        if (hinted) {
            patience = min(pause, BETWEEN_HINTS);
        } else if (identity.isUnsure()
                || (!inFlight.isEmpty() && !timing.listening().getAsBoolean())) {
            patience = min(pause, WHILE_UNSURE);
        } else if (!inFlight.isEmpty()) {
            patience = min(pause, WHILE_BUSY);
        }
        return patience.toNanos() - (System.nanoTime() - begin);
    }

    private Duration beat() {
        outage.begins();
        try {
            boolean unsure = identity.isUnsure();
            for (Verdict verdict : calls.heartbeat(watch.describe(identity.id()), this::held)) {
                inFlight.stop(verdict.lease(), verdict.cancelled() ? Stop.CANCELLED : Stop.LOST);
            }
            lastBeat = System.nanoTime();
            outage.over();
            if (unsure) {
                watch.gaveBack();
            }
            return timing.interval();
        } catch (LeaseLostException ex) {
            outage.over();
            // before the claimer knows the new id: what it claims under that one is not lost
            inFlight.stopAll(Stop.LOST);
            UUID dead = identity.renew();
            log.warn("Worker {} was declared dead, its jobs are let go; going on as {}", dead, identity.id());
            return Duration.ZERO;
        } catch (RuntimeException ex) {
            return min(outage.failed(ex), timing.interval());
        }
    }

    private Held held() {
        // before the jobs are looked at: those of a claim that ends in between are among them then
        boolean quick = identity.isUnsure() && !watch.isClaiming();
        List<Held.Job> jobs = inFlight.runs().stream()
                .map(run -> new Held.Job(run.lease(), run.hasBegun()))
                .toList();
        return new Held(jobs, quick ? UNKNOWN_AFTER : Held.USUAL_PATIENCE);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
