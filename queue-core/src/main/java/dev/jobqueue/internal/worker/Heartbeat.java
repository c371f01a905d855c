package dev.jobqueue.internal.worker;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.Workers;
import dev.jobqueue.internal.store.Workers.Held;
import dev.jobqueue.internal.store.Workers.Node;
import dev.jobqueue.internal.store.Workers.Verdict;
import dev.jobqueue.internal.worker.RunningJob.Stop;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that this node lives, and stops the jobs that are no longer its own or that somebody cancelled. A node that was
 * declared dead meanwhile lets go of all its jobs and goes on under a new id.
 */
final class Heartbeat {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    /** How often to ask for cancelled jobs while some run: the notification is quicker, but only a hint. */
    private static final Duration WHILE_BUSY = Duration.ofSeconds(2);

    /** The same when no notification can tell, or when a claim may have left jobs that this node does not know of. */
    private static final Duration WHILE_UNSURE = Duration.ofSeconds(1);

    /** The shortest time between two beats because of notifications, which anybody may send as often as they like. */
    private static final Duration BETWEEN_HINTS = Duration.ofMillis(100);

    /** How often to see, in memory, whether the next beat is due earlier. */
    private static final Duration LOOK = Duration.ofMillis(500);

    /** A running job that this node does not know of goes back after this long, if a claim is known to be unanswered. */
    private static final Duration UNKNOWN_AFTER = Duration.ofSeconds(3);

    /** For so long after that claim. */
    private static final Duration UNSURE = Duration.ofSeconds(30);

    private final Workers workers;
    private final Function<UUID, Node> describe;
    private final JobsInFlight inFlight;
    private final Duration interval;
    private final BooleanSupplier listening;
    private final BooleanSupplier claiming;
    private final Runnable onGivenBack;
    private final Supplier<@Nullable String> trouble;
    private final Outage outage = new Outage("Heartbeat");
    private final Loop loop = Loop.daemon("queue-heartbeat", this::round);
    private volatile UUID workerId = UUID.randomUUID();
    private volatile boolean hurried;
    private volatile boolean hinted;
    private boolean fit = true;
    private volatile long lastBeat = System.nanoTime();

    /** Until when a claim without an answer may still show up as running, in nanoseconds; {@code null} if there was none. */
    private volatile @Nullable Long unsureUntil;

    /**
     * @param claiming whether a claim is under way, whose jobs are not in flight yet
     * @param onGivenBack called when jobs may have been given back that this node did not know of
     * @param trouble why this node cannot handle its jobs to the end, {@code null} while it can
     */
    Heartbeat(
            Workers workers,
            Function<UUID, Node> describe,
            JobsInFlight inFlight,
            Duration interval,
            BooleanSupplier listening,
            BooleanSupplier claiming,
            Runnable onGivenBack,
            Supplier<@Nullable String> trouble) {
        this.workers = workers;
        this.describe = describe;
        this.inFlight = inFlight;
        this.interval = interval;
        this.listening = listening;
        this.claiming = claiming;
        this.onGivenBack = onGivenBack;
        this.trouble = trouble;
    }

    void start() {
        loop.start();
    }

    Loop loop() {
        return loop;
    }

    UUID workerId() {
        return workerId;
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

    /** A claim failed, maybe after the server had granted it: then those jobs run nowhere. */
    void claimUnanswered() {
        unsureUntil = System.nanoTime() + UNSURE.toNanos();
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
            workers.unregister(workerId);
        } catch (RuntimeException | InterruptedException ex) {
            log.info("Worker {} could not say goodbye, others will notice: {}", workerId, Errors.reason(ex));
        }
    }

    private void round() {
        Duration pause = isFit() ? beat() : min(interval, WHILE_UNSURE);
        long begin = System.nanoTime();
        for (long left = left(begin, pause); loop.isRunning() && !hurried && left > 0; left = left(begin, pause)) {
            loop.park(Math.min(left, LOOK.toNanos()));
        }
        hurried = false;
        hinted = false;
    }

    /** A node that cannot handle its jobs to the end keeps silent, so that others take them after its time to live. */
    private boolean isFit() {
        String found = trouble.get();
        if (found != null && fit) {
            log.error("This node says no longer that it lives, so that others rescue its jobs: {}", found);
        } else if (found == null && !fit) {
            log.warn("This node works again, and says that it lives");
        }
        fit = found == null;
        return fit;
    }

    /** Looked at anew again and again: it becomes less as soon as there is a job that somebody may cancel unheard. */
    private long left(long begin, Duration pause) {
        Duration patience = pause;
        if (hinted) {
            patience = min(pause, BETWEEN_HINTS);
        } else if (isUnsure() || (!inFlight.isEmpty() && !listening.getAsBoolean())) {
            patience = min(pause, WHILE_UNSURE);
        } else if (!inFlight.isEmpty()) {
            patience = min(pause, WHILE_BUSY);
        }
        return patience.toNanos() - (System.nanoTime() - begin);
    }

    private boolean isUnsure() {
        Long until = unsureUntil;
        return until != null && until - System.nanoTime() > 0;
    }

    private Duration beat() {
        outage.begins();
        try {
            boolean unsure = isUnsure();
            for (Verdict verdict : workers.heartbeat(describe.apply(workerId), this::held)) {
                inFlight.stop(verdict.claim(), verdict.cancelled() ? Stop.CANCELLED : Stop.LOST);
            }
            lastBeat = System.nanoTime();
            outage.over();
            if (unsure) {
                onGivenBack.run();
            }
            return interval;
        } catch (LeaseLostException ex) {
            outage.over();
            UUID dead = workerId;
            // before the claimer knows the new id: what it claims under that one is not lost
            inFlight.stopAll(Stop.LOST);
            workerId = UUID.randomUUID();
            log.warn("Worker {} was declared dead, its jobs are let go; going on as {}", dead, workerId);
            return Duration.ZERO;
        } catch (RuntimeException ex) {
            return min(outage.failed(ex), interval);
        }
    }

    private Held held() {
        // before the jobs are looked at: those of a claim that ends in between are among them then
        boolean quick = isUnsure() && !claiming.getAsBoolean();
        return new Held(inFlight.held(), quick ? UNKNOWN_AFTER : Held.USUAL_PATIENCE);
    }

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
