package dev.jobqueue.internal.upkeep;

import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A thread that does a round of work and then sleeps, for as long as the round says or until somebody wakes it. While the
 * database is away it pauses longer and longer, and is not to be woken.
 */
final class Rounds {

    private final Supplier<Duration> round;
    private final Outage outage;
    private final Thread thread;
    private volatile boolean running = true;
    private volatile boolean woken;

    /**
     * @param what what the rounds are for, in a message that the database is away
     * @param round does the work and tells how long to sleep afterwards
     */
    Rounds(String threadName, String what, Supplier<Duration> round) {
        this.round = round;
        this.outage = new Outage(what);
        this.thread = Threads.daemon(threadName).newThread(this::loop);
    }

    void start() {
        thread.start();
    }

    Outage outage() {
        return outage;
    }

    /** The next round begins at once; during a round, as soon as it ends. */
    void wake() {
        woken = true;
        LockSupport.unpark(thread);
    }

    /** Ends after the round that is under way, but does not wait for one that hangs. */
    void close() throws InterruptedException {
        running = false;
        LockSupport.unpark(thread);
        Threads.ended(thread);
    }

    private void loop() {
        while (running) {
            try {
                woken = false;
                Duration pause = round.get();
                outage.over();
                sleep(pause, true);
            } catch (RuntimeException ex) {
                sleep(outage.failed(ex), false);
            }
        }
    }

    private void sleep(Duration pause, boolean untilWoken) {
        long end = System.nanoTime() + pause.toNanos();
        while (running && !(untilWoken && woken) && end - System.nanoTime() > 0) {
            LockSupport.parkNanos(this, end - System.nanoTime());
        }
    }
}
