package dev.jobqueue.internal.worker;

import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.Workers;
import dev.jobqueue.internal.store.Workers.Node;
import dev.jobqueue.internal.store.Workers.Verdict;
import dev.jobqueue.internal.worker.RunningJob.Stop;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says that this node lives, and stops the jobs that are no longer its own or that somebody cancelled. A node that was
 * declared dead meanwhile lets go of all its jobs and goes on under a new id.
 */
final class Heartbeat {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    /** How often to ask for cancelled jobs when no notification can tell. */
    private static final Duration WITHOUT_LISTENER = Duration.ofSeconds(1);

    private final Workers workers;
    private final Function<UUID, Node> describe;
    private final JobsInFlight inFlight;
    private final Duration interval;
    private final BooleanSupplier listening;
    private final Outage outage = new Outage("Heartbeat");
    private final Thread thread;
    private volatile UUID workerId = UUID.randomUUID();
    private volatile boolean running = true;
    private volatile boolean hurried;
    private volatile long lastBeat = System.nanoTime();

    Heartbeat(
            Workers workers,
            Function<UUID, Node> describe,
            JobsInFlight inFlight,
            Duration interval,
            BooleanSupplier listening) {
        this.workers = workers;
        this.describe = describe;
        this.inFlight = inFlight;
        this.interval = interval;
        this.listening = listening;
        this.thread = Threads.daemon("queue-heartbeat").newThread(this::loop);
    }

    void start() {
        thread.start();
    }

    UUID workerId() {
        return workerId;
    }

    Duration sinceLastBeat() {
        return Duration.ofNanos(System.nanoTime() - lastBeat);
    }

    /** Beats now: something looks as if this node was declared dead. */
    void hurry() {
        hurried = true;
        LockSupport.unpark(thread);
    }

    /** A job began: without a listener the next beat must come soon. */
    void jobBegan() {
        if (!listening.getAsBoolean()) {
            LockSupport.unpark(thread);
        }
    }

    void close() throws InterruptedException {
        running = false;
        LockSupport.unpark(thread);
        thread.join();
        try {
            workers.unregister(workerId);
        } catch (RuntimeException ex) {
            log.info("Worker {} could not say goodbye, others will notice: {}", workerId, ex.toString());
        }
    }

    private void loop() {
        while (running) {
            Duration pause = beat();
            long begin = System.nanoTime();
            while (running
                    && !hurried
                    && System.nanoTime() - begin < patience(pause).toNanos()) {
                LockSupport.parkNanos(patience(pause).toNanos() - (System.nanoTime() - begin));
            }
            hurried = false;
        }
    }

    /** Shorter as soon as there is a job that somebody may cancel unheard. */
    private Duration patience(Duration pause) {
        return listening.getAsBoolean() || inFlight.isEmpty() ? pause : min(pause, WITHOUT_LISTENER);
    }

    private Duration beat() {
        try {
            for (Verdict verdict : workers.heartbeat(describe.apply(workerId), inFlight.claims())) {
                inFlight.stop(verdict.claim(), verdict.cancelled() ? Stop.CANCELLED : Stop.LOST);
            }
            lastBeat = System.nanoTime();
            outage.over();
            return interval;
        } catch (LeaseLostException ex) {
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

    private static Duration min(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}
