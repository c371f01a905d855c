package dev.jobqueue.internal.handle;

import dev.jobqueue.spi.BundledJob;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The run of a job that is handled together with others: no thread is its own, and the handler says when it ends. */
public final class BundledRun extends RunningJob implements BundledJob<Object> {

    private final int most;
    private volatile BundleRunner.@Nullable Call call;
    private @Nullable Object payload;
    private volatile long enteredAt;
    private volatile Duration ran = Duration.ZERO;

    /**
     * @param most how many jobs the handler takes at once
     */
    public BundledRun(ClaimedJob job, int most, Tools tools, Hooks hooks) {
        super(job, false, tools, hooks);
        this.most = most;
    }

    /** How many jobs the handler takes at once. */
    public int most() {
        return most;
    }

    /** The first one of its bundle. */
    public BundledRun firstOfBundle() {
        return call().first();
    }

    /** Takes part in the call from now on; {@code false} if the run was stopped before it began. */
    boolean enter(BundleRunner.Call newCall) {
        call = newCall;
        enteredAt = System.nanoTime();
        return enter((Thread) null);
    }

    void read(@Nullable Object newPayload) {
        payload = newPayload;
    }

    /** Tells the call, whose other jobs go on. */
    @Override
    boolean stop(Stop reason) {
        boolean first = super.stop(reason);
        BundleRunner.Call told = call;
        if (first && told != null) {
            told.stopped(this, reason);
        }
        return first;
    }

    void stopUntold(Stop reason) {
        super.stop(reason);
    }

    @Override
    public synchronized boolean tryEnd() {
        boolean ends = super.tryEnd();
        if (ends && hasBegun()) {
            ran = Duration.ofNanos(System.nanoTime() - enteredAt);
        }
        return ends;
    }

    @Override
    public Duration ran() {
        return ran;
    }

    @Override
    @Nullable
    synchronized Thread thread() {
        BundleRunner.Call asked = call;
        return asked == null ? null : asked.interruptedFor(this);
    }

    @Override
    @SuppressWarnings("NullAway") // null where the handler takes Void
    public Object payload() {
        return payload;
    }

    @Override
    public boolean complete(@Nullable Object result) {
        return call().complete(this, result);
    }

    @Override
    public boolean fail(Throwable cause) {
        return call().fail(this, Objects.requireNonNull(cause, "cause"));
    }

    @Override
    public boolean release() {
        return call().release(this);
    }

    @Override
    public boolean isOpen() {
        return !isEnded();
    }

    private BundleRunner.Call call() {
        return Objects.requireNonNull(call);
    }
}
