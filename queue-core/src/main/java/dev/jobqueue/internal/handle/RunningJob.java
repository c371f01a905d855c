package dev.jobqueue.internal.handle;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.flow.ResultCalls;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.Run;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
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

    /**
     * What a running job needs to do what its handler asks for.
     *
     * @param calls stores reports apart from the handler's transaction, so that others see them at once
     * @param reports sends the reports of transactional handlers: these hold a connection and must not wait for another
     * @param results reads the results of other steps, in the handler's transaction
     */
    public record Tools(
            ReportCalls calls,
            Json json,
            JobPublisher publisher,
            Timeouts timeouts,
            ReportSender reports,
            ResultCalls results) {}

    /** Takes part in what a handler does, for a worker that is driven by hand. */
    public interface Hooks {
        Hooks NONE = new Hooks() {};

        /** Called before the handler tells the queue something; throws to keep it from doing so. */
        default void before() {}

        /** The handler finished a step, or found it finished. */
        default void stepped(JobContext job, String step) {}

        /** The handler got more time. */
        default void extended(Duration timeout) {}
    }

    /** Payloads up to this many characters are not worth the copy of the job without them. */
    private static final int SMALL = 1_000;

    private volatile ClaimedJob job;
    private final HandlerContext context;
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    /** Whoever moves it to true settles the run; everyone else keeps quiet. */
    private volatile boolean ended;

    private boolean begun;
    private long beganAt;
    private volatile long runNanos;

    private @Nullable Thread thread;
    private @Nullable Future<?> timeout;

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
        if (stop.get() != null) {
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
        if (bytes() > SMALL) {
            // the payload would be kept until the run is settled
            job = job.withoutContent();
        }
        runNanos = System.nanoTime() - beganAt;
        // an interrupt that came too late, or that the handler swallowed
        Thread.interrupted();
    }

    /** Asks the handler to stop, for the first reason given; {@code false} if one was given before. */
    boolean stop(Stop reason) {
        synchronized (this) {
            boolean first = stop.compareAndSet(null, reason);
            if (first && thread != null) {
                thread.interrupt();
            }
            return first;
        }
    }

    /** Keeps the handler from being called; {@code false} if it was called. */
    public synchronized boolean stopUnlessBegun(Stop reason) {
        if (!begun) {
            stop.compareAndSet(null, reason);
        }
        return !begun;
    }

    /** Interrupts the handler because its time is up; {@code false} if somebody else has settled the run. */
    synchronized boolean expire() {
        if (!tryEnd()) {
            return false;
        }
        stop(Stop.TIMED_OUT);
        return true;
    }

    /** Takes the right to settle this run; {@code false} if somebody else has it. */
    public synchronized boolean tryEnd() {
        if (ended) {
            return false;
        }
        ended = true;
        Future<?> pending = timeout;
        if (pending != null) {
            pending.cancel(false);
        }
        return true;
    }

    final boolean isEnded() {
        return ended;
    }

    @Nullable
    Stop stopped() {
        return stop.get();
    }

    /** Replaces what would have interrupted the run. */
    synchronized void timeout(Future<?> replacement) {
        Future<?> previous = timeout;
        timeout = replacement;
        if (previous != null) {
            previous.cancel(false);
        }
        if (ended) {
            replacement.cancel(false);
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
    @Nullable
    synchronized Thread thread() {
        return thread;
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
