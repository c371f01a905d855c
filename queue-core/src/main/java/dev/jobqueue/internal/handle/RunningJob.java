package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.handle.HandlingSetup.Hooks;
import dev.jobqueue.internal.handle.HandlingSetup.Tools;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.internal.settle.Run;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** One run of a job on this node, from its claim to its end: who runs it, who stops it, and who settles it. */
public sealed class RunningJob implements Run permits BundledRun {

    /** Why the run was stopped from outside, if it was; the first reason stands. */
    public enum Stop {
        TIMED_OUT,
        CANCELLED,
        LOST,
        SHUTDOWN
    }

    private volatile ClaimedJob job;
    private final HandlerContext context;
    private volatile @Nullable Stop stop;

    /** Allocated here: it is what is left to tell when the heap is full. */
    private final Outcome untold = Outcome.Threw.untold(this);

    /** Whoever moves it to true settles the run; everyone else keeps quiet. */
    private volatile boolean ended;

    private boolean begun;
    private long beganAt;
    private volatile long runNanos;

    private @Nullable Thread thread;
    private final Timeouts.Timer timer = new Timeouts.Timer();

    public RunningJob(ClaimedJob job, boolean transactional, Tools tools) {
        this(job, transactional, tools, Hooks.NONE);
    }

    /**
     * @param transactional whether the handler has a transaction that also settles the job
     * @param hooks take part in what the handler does
     */
    public RunningJob(ClaimedJob job, boolean transactional, Tools tools, Hooks hooks) {
        this.job = job;
        this.context = new HandlerContext(this, tools, transactional ? new Reports() : null, hooks);
    }

    public ClaimedJob claimed() {
        return job;
    }

    /** What the handler of this run sees. */
    public HandlerContext context() {
        return context;
    }

    @Override
    public JobLease lease() {
        return job.lease();
    }

    /** Lets the calling thread be interrupted from now on; {@code false} if the run was stopped before it began. */
    public boolean enter() {
        return enter(Thread.currentThread());
    }

    synchronized boolean enter(@Nullable Thread interrupted) {
        if (stop != null) {
            return false;
        }
        thread = interrupted;
        begun = true;
        beganAt = System.nanoTime();
        return true;
    }

    /** After this the calling thread belongs to the next job: no late interrupt reaches it. */
    public synchronized void leave() {
        thread = null;
        // it would be kept until the run is settled
        job = job.withoutContent();
        stopClock();
        // an interrupt that came too late, or that the handler swallowed
        Thread.interrupted();
    }

    final void stopClock() {
        if (begun && runNanos == 0) {
            runNanos = System.nanoTime() - beganAt;
        }
    }

    /** Asks the handler to stop, unless it was asked before. */
    final void stop(Stop reason) {
        if (mark(reason)) {
            interrupt(reason);
        }
    }

    /** Notes the first reason to stop; {@code false} if there was one before. */
    final synchronized boolean mark(Stop reason) {
        if (stop != null) {
            return false;
        }
        stop = reason;
        return true;
    }

    /** Tells the handler that its run was stopped. */
    void interrupt(Stop reason) {
        synchronized (this) {
            if (thread != null) {
                thread.interrupt();
            }
        }
    }

    /** Keeps the handler from being called; {@code false} if it was called. */
    public synchronized boolean stopUnlessBegun(Stop reason) {
        if (!begun) {
            mark(reason);
        }
        return !begun;
    }

    /** Interrupts the handler because its time is up; {@code false} if somebody else has settled the run. */
    final boolean expire() {
        synchronized (this) {
            if (!tryEnd()) {
                return false;
            }
            if (!mark(Stop.TIMED_OUT)) {
                return true;
            }
        }
        interrupt(Stop.TIMED_OUT);
        return true;
    }

    /** Takes the right to settle this run; {@code false} if somebody else has it. */
    public synchronized boolean tryEnd() {
        if (ended) {
            return false;
        }
        ended = true;
        timer.cancel();
        return true;
    }

    /** That the attempt threw, and that more cannot be told. Needs no memory. */
    public final Outcome untold() {
        return untold;
    }

    final boolean isEnded() {
        return ended;
    }

    @Nullable
    Stop stopped() {
        return stop;
    }

    /** Replaces what would have interrupted the run. */
    synchronized void timeout(Future<?> replacement) {
        timer.set(replacement);
        if (ended) {
            timer.cancel();
        }
    }

    /** About how much of the heap its payload, headers and steps take. */
    public int bytes() {
        return job.length();
    }

    @Override
    public boolean isLimited() {
        return claimed().limited();
    }

    @Override
    public boolean isLinked() {
        return claimed().place() != null;
    }

    @Override
    public Duration waited() {
        return Duration.ofMillis(Math.max(0, job.waitMillis()));
    }

    @Override
    public Duration ran() {
        return Duration.ofNanos(runNanos);
    }

    @Override
    public synchronized boolean hasBegun() {
        return begun;
    }

    /** The thread that is interrupted when this run is stopped; {@code null} unless its handler runs. */
    final synchronized @Nullable Thread thread() {
        return thread;
    }

    final synchronized void thread(Thread interrupted) {
        thread = interrupted;
    }

    /** Whether its time is up, even if nobody has come to end it yet. */
    final synchronized boolean isDue() {
        return timer.isDue();
    }

    @Override
    public UUID id() {
        return job.lease().id();
    }

    @Override
    public String type() {
        return job.type();
    }

    @Override
    public String queue() {
        return job.queue();
    }

    @Override
    public int attempt() {
        return job.attempt();
    }

    @Override
    public int maxAttempts() {
        return job.maxAttempts();
    }
}
