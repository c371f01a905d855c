package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.handle.HandlingSetup.Hooks;
import dev.jobqueue.internal.handle.HandlingSetup.Tools;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.spi.BundledJob;
import dev.jobqueue.spi.JobEnding;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The run of a job that is handled together with others: no thread is its own, and the handler says when it ends. */
public final class BundledRun extends RunningJob implements BundledJob<Object> {

    /**
     * Consecutive jobs of a FIFO lane that one claim brought. It is broken where one of them comes again or is dead:
     * none behind it is handled any more, and those behind it come again too.
     */
    public static final class Series {

        private int jobs;
        private volatile int brokenAt = Integer.MAX_VALUE;

        private int add() {
            return jobs++;
        }

        private synchronized void breakAt(int place) {
            brokenAt = Math.min(brokenAt, place);
        }
    }

    private final int most;
    private final Series series;
    private final int place;
    private volatile BundleRunner.@Nullable Call call;
    private volatile @Nullable Object payload;

    /** Allocated here, because it is also told when the heap is full. */
    private final Outcome released = new Outcome.Released(this, true);

    /**
     * @param most how many jobs the handler takes at once
     * @param series to which this is added; one of its own for a job that is in no FIFO lane
     */
    public BundledRun(ClaimedJob job, int most, Series series, Tools tools, Hooks hooks) {
        super(job, false, tools, hooks);
        this.most = most;
        this.series = series;
        this.place = series.add();
    }

    /** How many jobs the handler takes at once. */
    public int most() {
        return most;
    }

    /** The first one of its bundle. */
    public BundledRun firstOfBundle() {
        return call().jobs[0];
    }

    /** Takes part in the call from now on; {@code false} if the run must not begin. */
    boolean enter(BundleRunner.Call newCall) {
        call = newCall;
        return isOpen() && !isDue() && enter((Thread) null);
    }

    void read(@Nullable Object newPayload) {
        payload = newPayload;
    }

    @Override
    public synchronized void leave() {
        super.leave();
        payload = null;
    }

    /** Tells the call, whose other jobs go on. */
    @Override
    void interrupt(Stop reason) {
        BundleRunner.Call told = call;
        if (told != null) {
            told.stopped(this, reason);
        }
    }

    /** Whether a job before it in its series comes again or is dead. */
    boolean isBehindBreak() {
        return series.brokenAt < place;
    }

    /** That it is given back as if it had not begun. Needs no memory. */
    Outcome released() {
        return released;
    }

    /** Whether it broke its series, and there are others. */
    boolean hasBroken() {
        return series.jobs > 1 && series.brokenAt <= place;
    }

    boolean isBehind(BundledRun other) {
        return series == other.series && place > other.place;
    }

    /** Whoever ends it from outside gives it back, or takes its time for up. */
    @Override
    public synchronized boolean tryEnd() {
        return tryEnd(false);
    }

    /** Ends the run as its handler wants; {@code false} also if its series is broken, so that it has to be released. */
    synchronized boolean tryEnd(Outcome outcome) {
        boolean refused = isBehindBreak() && !(outcome instanceof Outcome.Released);
        return !refused && tryEnd(outcome instanceof Outcome.Completed || outcome instanceof Outcome.Cancelled);
    }

    private boolean tryEnd(boolean goesOn) {
        if (!isEnded() && !goesOn) {
            // before it has ended: whoever sees its end leaves the others alone
            series.breakAt(place);
        }
        boolean ends = super.tryEnd();
        if (ends) {
            stopClock();
        }
        return ends;
    }

    /** The database may know better: somebody else may have the job, or its result may not be stored. */
    @Override
    public void settled(JobEnding ending) {
        if (ending != JobEnding.COMPLETED && ending != JobEnding.CANCELLED) {
            series.breakAt(place);
        }
    }

    @Override
    @SuppressWarnings("NullAway") // null where the handler takes Void
    public Object payload() {
        return payload;
    }

    @Override
    public @Nullable Long lane() {
        return claimed().lane();
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
        return !isEnded() && !isBehindBreak();
    }

    private BundleRunner.Call call() {
        return Objects.requireNonNull(call);
    }
}
