package dev.jobqueue.internal;

import java.time.Duration;
import java.util.function.Supplier;

/**
 * A thread that does a round of work and then sleeps, for as long as the round says or until somebody wakes it. While
 * the database is away, the pauses grow, and nobody can wake the thread.
 */
public final class Rounds {

    /** A round is many calls, and some of them clean up a lot. */
    private static final Duration STUCK_AFTER = Duration.ofMinutes(10);

    private final Supplier<Duration> round;
    private final Outage outage;
    private final Loop loop;
    private volatile boolean woken;

    /**
     * @param what what the rounds are for, in a message that the database is away
     * @param round does the work and tells how long to sleep afterwards
     */
    public Rounds(String threadName, String what, Supplier<Duration> round) {
        this.round = round;
        this.outage = new Outage(what);
        this.loop = Loop.daemon(threadName, STUCK_AFTER, this::make);
    }

    public void start() {
        loop.start();
    }

    public Loop loop() {
        return loop;
    }

    public Outage outage() {
        return outage;
    }

    /** The next round begins at once; during a round, as soon as it ends. */
    public void wake() {
        woken = true;
        loop.wake();
    }

    /** Ends after the round that is under way, but does not wait for one that hangs. */
    public void close() throws InterruptedException {
        loop.end();
        loop.join(Threads.CLOSE_WAIT);
    }

    private void make() {
        try {
            woken = false;
            outage.begins();
            Duration pause = round.get();
            outage.over();
            sleep(pause);
        } catch (RuntimeException ex) {
            loop.pause(outage.failed(ex));
        }
    }

    private void sleep(Duration pause) {
        long end = System.nanoTime() + pause.toNanos();
        while (loop.isRunning() && !woken && end - System.nanoTime() > 0) {
            loop.park(end - System.nanoTime());
        }
    }
}
