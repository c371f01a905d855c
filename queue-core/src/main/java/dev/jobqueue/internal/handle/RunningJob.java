package dev.jobqueue.internal.handle;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.Texts;
import dev.jobqueue.internal.settle.Claim;
import dev.jobqueue.internal.settle.Run;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** One run of a job on this node: what its handler sees, and how others stop it. */
public final class RunningJob implements JobContext, Run {

    /** Why the run was stopped from outside, if it was; the first reason stands. */
    public enum Stop {
        TIMED_OUT,
        CANCELLED,
        LOST,
        SHUTDOWN
    }

    private static final int SMALL = 1_000;
    private static final int MOST_OF_A_STAGE = 200;

    private volatile ClaimedJob job;
    private final JobTools tools;

    /** Of a transactional handler alone: others tell the database at once. */
    private final @Nullable Reports reports;

    /** The steps of a transactional handler in this attempt, which only count if its transaction commits. */
    private final Map<String, String> unsaved = new ConcurrentHashMap<>();

    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    /** Whoever moves it to true settles the run; everyone else keeps quiet. */
    private boolean ended;

    private boolean begun;
    private long beganAt;
    private volatile long runNanos;

    private @Nullable Thread thread;
    private volatile @Nullable Duration snooze;
    private @Nullable Future<?> timeout;
    private @Nullable Map<String, String> steps;

    public RunningJob(ClaimedJob job, boolean transactional, JobTools tools) {
        this.job = job;
        this.tools = tools;
        this.reports = transactional ? new Reports() : null;
    }

    ClaimedJob claimed() {
        return job;
    }

    @Override
    public Claim claim() {
        return job.claim();
    }

    /** Lets the calling thread be interrupted from now on; {@code false} if the run was stopped before it began. */
    public synchronized boolean enter() {
        if (stop.get() != null) {
            return false;
        }
        thread = Thread.currentThread();
        begun = true;
        beganAt = System.nanoTime();
        return true;
    }

    /** After this the calling thread belongs to the next job: no late interrupt reaches it. */
    synchronized void leave() {
        thread = null;
        if (bytes() > SMALL) {
            // it would be kept until the run is settled
            job = job.withoutContent();
        }
        runNanos = System.nanoTime() - beganAt;
        // an interrupt that came too late, or that the handler swallowed
        Thread.interrupted();
    }

    /** Asks the handler to stop, for the first reason given. */
    synchronized void stop(Stop reason) {
        if (stop.compareAndSet(null, reason) && thread != null) {
            thread.interrupt();
        }
    }

    /** Keeps the handler from being called; {@code false} if it was called. */
    synchronized boolean stopUnlessBegun(Stop reason) {
        if (!begun) {
            stop.compareAndSet(null, reason);
        }
        return !begun;
    }

    /** Interrupts the handler because its time is up; {@code false} if somebody else has settled the run. */
    synchronized boolean expire() {
        if (!end()) {
            return false;
        }
        stop(Stop.TIMED_OUT);
        return true;
    }

    /** Takes the right to settle this run; {@code false} if somebody else has it. */
    synchronized boolean end() {
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
    int bytes() {
        return job.length();
    }

    @Override
    public boolean isLimited() {
        return claimed().limited();
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

    @Nullable
    synchronized Thread thread() {
        return thread;
    }

    @Nullable
    Duration snoozed() {
        return snooze;
    }

    @Override
    public UUID id() {
        return job.claim().id();
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

    @Override
    public Map<String, String> headers() {
        return tools.json().readHeaders(job.headers());
    }

    @Override
    public Instant createdAt() {
        return job.createdAt();
    }

    @Override
    public void progress(int percent, @Nullable String stage) {
        if (percent < 0 || percent > 100) {
            throw new InvalidJobException("percent is '%d': must be between 0 and 100".formatted(percent));
        }
        Texts.requireStorable("stage", stage, MOST_OF_A_STAGE);
        report(calls -> calls.progress(claim(), percent, stage));
    }

    @Override
    public void log(String message) {
        Texts.requireStorable("message", message, Integer.MAX_VALUE);
        report(calls -> calls.log(claim(), "INFO", message));
    }

    @Override
    public <T> T step(String name, Class<T> type, Callable<T> action) throws Exception {
        return step(name, (Type) type, action);
    }

    @Override
    public <T> T step(String name, ParameterizedTypeReference<T> type, Callable<T> action) throws Exception {
        return step(name, type.getType(), action);
    }

    /** Reads the result of the first attempt from its JSON too: what is lost there is lost at once, not some day. */
    private <T> T step(String name, Type type, Callable<T> action) throws Exception {
        String result = steps().get(name);
        if (result == null) {
            String written = tools.json().writeResult(action.call());
            if (reports != null) {
                unsaved.put(name, written);
                result = tools.reports().asStored(written);
            } else {
                result = fenced(() -> tools.calls().saveStep(claim(), name, written));
            }
            steps().put(name, result);
        }
        return tools.json().readStep(name, result, type);
    }

    /** Stores the steps of a transactional handler, in its own transaction. */
    void saveSteps(ReportCalls joining) {
        unsaved.forEach((name, result) -> joining.saveStep(claim(), name, result));
    }

    /** Stores the steps of this attempt once more, after what stored them was rolled back. */
    void saveStepsAgain(ReportCalls joining) {
        Map<String, String> before = tools.json().readSteps(job.steps());
        steps().forEach((name, result) -> {
            if (!before.containsKey(name)) {
                joining.saveStep(claim(), name, result);
            }
        });
    }

    /** The finished steps, of earlier attempts and of this one, as JSON. */
    private synchronized Map<String, String> steps() {
        Map<String, String> known = steps;
        if (known == null) {
            known = new ConcurrentHashMap<>(tools.json().readSteps(job.steps()));
            steps = known;
        }
        return known;
    }

    @Override
    public void extend(Duration timeout) {
        Spans.require("timeout", timeout);
        report(calls -> calls.extend(claim(), timeout));
        tools.timeouts().watch(this, timeout);
    }

    @Override
    public void snooze(Duration delay) {
        this.snooze = Spans.require("delay", delay);
    }

    @Override
    public boolean isCancelled() {
        return stop.get() != null;
    }

    @Override
    public UUID publish(Job child) {
        refuseIfLost("publishes");
        return tools.publisher().publish(child);
    }

    private void refuseIfLost(String verb) {
        Stop reason = stop.get();
        if (reason == Stop.TIMED_OUT || reason == Stop.LOST) {
            throw new LeaseLostException("Job %s ('%s') is no longer this worker's (%s): it %s nothing any more"
                    .formatted(id(), type(), reason, verb));
        }
    }

    private void report(Consumer<ReportCalls> report) {
        Reports buffer = reports;
        if (buffer == null) {
            fenced(() -> report.accept(tools.calls()));
            return;
        }
        refuseIfLost("reports");
        if (buffer.add(report)) {
            tools.reports().send(this, buffer);
        }
    }

    /** Sends what was reported and not sent yet, in the handler's own transaction. */
    void sendReports(ReportCalls joining) {
        if (reports != null) {
            reports.send(joining, new ArrayList<>());
        }
    }

    /** The same after that transaction was rolled back: the handler holds no connection any more. */
    void sendReportsApart() {
        if (reports != null && !reports.isEmpty()) {
            tools.reports().sendNow(this, reports);
        }
    }

    private void fenced(Runnable call) {
        fenced(() -> {
            call.run();
            return true;
        });
    }

    private <T> T fenced(Supplier<T> call) {
        try {
            return call.get();
        } catch (LeaseLostException ex) {
            stop(Stop.LOST);
            throw ex;
        } catch (JobNotFoundException ex) {
            // settled by whoever has it now
            stop(Stop.LOST);
            throw new LeaseLostException(String.valueOf(ex.getMessage()), ex);
        }
    }
}
