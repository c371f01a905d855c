package dev.jobqueue.internal;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of the queue that makes rounds until it is told to end, whatever a round throws: an Error is logged,
 * counted, and followed by a pause and the next round. Others can ask whether the thread works.
 */
public final class Loop {

    private static final Logger log = LoggerFactory.getLogger(Loop.class);

    private static final long FAILURE_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOG_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Longer than a pool makes its callers wait for a connection by default. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    /** What a thread is doing. */
    public enum State {
        /** Not started yet, or told to end. */
        OFF,
        WAITING,
        WORKING,
        /** In one and the same call for too long. */
        STUCK,
        /** Gone, although nobody told it to end. */
        DEAD
    }

    /** What the thread does again and again. */
    @FunctionalInterface
    public interface Round {
        void make() throws Exception;
    }

    private final Round round;
    private final Duration stuckAfter;
    private final Thread thread;
    private final AtomicLong failures = new AtomicLong();
    private volatile boolean started;
    private volatile boolean running = true;
    private volatile boolean waiting;

    /** Set by wake. The permit of the thread is not enough: a pool that parks within a round consumes it. */
    private volatile boolean woken;

    private volatile long busySince;
    private volatile @Nullable Class<?> lastFailure;
    private long loggedAt = System.nanoTime() - LOG_PAUSE_NANOS;

    private Loop(String name, boolean daemon, Duration stuckAfter, Round round) {
        this.round = round;
        this.stuckAfter = stuckAfter;
        this.thread = new Thread(this::run, name);
        this.thread.setDaemon(daemon);
    }

    public static Loop daemon(String name, Round round) {
        return new Loop(name, true, STUCK_AFTER, round);
    }

    /** Returns a daemon thread that counts as stuck only after the given time in one call. */
    public static Loop daemon(String name, Duration stuckAfter, Round round) {
        return new Loop(name, true, stuckAfter, round);
    }

    /** Returns a thread that keeps the application alive. */
    public static Loop user(String name, Round round) {
        return new Loop(name, false, STUCK_AFTER, round);
    }

    public void start() {
        busySince = System.nanoTime();
        thread.start();
        started = true;
    }

    public String name() {
        return thread.getName();
    }

    public boolean isRunning() {
        return running;
    }

    public State state() {
        if (!started || !running) {
            return State.OFF;
        }
        if (!thread.isAlive()) {
            return State.DEAD;
        }
        if (waiting) {
            return State.WAITING;
        }
        return busyFor().compareTo(stuckAfter) > 0 ? State.STUCK : State.WORKING;
    }

    /** What is wrong with this thread, as the end of a sentence about it; {@code null} if nothing is. */
    public @Nullable String trouble() {
        return switch (state()) {
            case DEAD -> "is dead" + (lastFailure == null ? "" : " (" + lastFailure() + ")");
            case STUCK -> "has not come back from one call for " + busyFor().toSeconds() + " s";
            default -> null;
        };
    }

    private Duration busyFor() {
        return Duration.ofNanos(System.nanoTime() - busySince);
    }

    /** How many rounds threw something that no round should. */
    public long failures() {
        return failures.get();
    }

    /** The type of what the last of them threw. */
    public @Nullable String lastFailure() {
        Class<?> last = lastFailure;
        return last == null ? null : last.getName();
    }

    /** Ends a wait of the thread, the next one if it does not wait now. */
    public void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    /** Lets the round that is under way be the last. */
    public void end() {
        running = false;
        LockSupport.unpark(thread);
    }

    public void interrupt() {
        thread.interrupt();
    }

    public void join() throws InterruptedException {
        thread.join();
    }

    public void join(Duration patience) throws InterruptedException {
        thread.join(Math.max(1, patience.toMillis()));
    }

    /** For the thread itself: waits until somebody wakes it, or until the time is over. */
    public void park(long nanos) {
        if (!woken) {
            sleep(nanos);
        }
        // before the thread looks what it was woken for
        woken = false;
    }

    private void sleep(long nanos) {
        waits();
        LockSupport.parkNanos(this, nanos);
        works();
    }

    /** For the thread itself: waits for the whole time, or until it is to end. A wake-up ends the next wait instead. */
    public void pause(Duration pause) {
        long end = System.nanoTime() + pause.toNanos();
        for (long left = pause.toNanos(); running && left > 0; left = end - System.nanoTime()) {
            sleep(left);
        }
    }

    /** For the thread itself: what comes now may take as long as it likes. */
    public void waits() {
        waiting = true;
    }

    /** For the thread itself: from now on it is at work. Called again after each call that came back. */
    public void works() {
        busySince = System.nanoTime();
        waiting = false;
    }

    private void run() {
        while (running) {
            try {
                works();
                round.make();
            } catch (Throwable thrown) {
                survive(thrown);
            }
        }
    }

    /** Catches everything, because even logging may run out of memory. */
    private void survive(Throwable thrown) {
        try {
            // a thread that is still interrupted would not pause
            Thread.interrupted();
            if (!running) {
                return;
            }
            failures.incrementAndGet();
            lastFailure = thrown.getClass();
            report(thrown);
            pause(Duration.ofNanos(FAILURE_PAUSE_NANOS));
        } catch (Throwable again) {
            LockSupport.parkNanos(FAILURE_PAUSE_NANOS);
        }
    }

    private void report(Throwable thrown) {
        long now = System.nanoTime();
        if (now - loggedAt >= LOG_PAUSE_NANOS) {
            loggedAt = now;
            log.error("Thread '{}' goes on after an error (the {}. since the start)", name(), failures, thrown);
        }
    }
}
