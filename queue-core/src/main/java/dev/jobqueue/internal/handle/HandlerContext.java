package dev.jobqueue.internal.handle;

import dev.jobqueue.Flow;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Spans;
import dev.jobqueue.internal.Texts;
import dev.jobqueue.internal.flow.FlowOfJob;
import dev.jobqueue.internal.handle.RunningJob.Stop;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ParameterizedTypeReference;

/** What the handler of a running job sees, and what it may do for as long as this node has the job's lease. */
public final class HandlerContext implements JobContext {

    static final int MOST_OF_A_STAGE = 200;

    private final RunningJob run;
    private final HandlingSetup.Tools tools;

    /** Only of a transactional handler: other handlers tell the database at once. */
    private final @Nullable Reports reports;

    private final HandlingSetup.Hooks hooks;
    private final HandlerSteps steps;
    private final FlowOfJob flow;
    private volatile @Nullable Duration snooze;

    HandlerContext(RunningJob run, HandlingSetup.Tools tools, @Nullable Reports reports, HandlingSetup.Hooks hooks) {
        this.run = run;
        this.tools = tools;
        this.reports = reports;
        this.hooks = hooks;
        this.steps = new HandlerSteps(run, tools);
        this.flow = new FlowOfJob(run.id(), run.claimed().place());
    }

    @Override
    public UUID id() {
        return run.id();
    }

    @Override
    public String type() {
        return run.type();
    }

    @Override
    public String queue() {
        return run.queue();
    }

    @Override
    public int attempt() {
        return run.attempt();
    }

    @Override
    public int maxAttempts() {
        return run.maxAttempts();
    }

    @Override
    public Map<String, String> headers() {
        return tools.json().readHeaders(run.claimed().headers());
    }

    @Override
    public Instant createdAt() {
        return run.claimed().createdAt();
    }

    @Override
    public void progress(int percent, @Nullable String stage) {
        if (percent < 0 || percent > 100) {
            throw new InvalidJobException("percent is '%d': must be between 0 and 100".formatted(percent));
        }
        Texts.requireStorable("stage", stage, MOST_OF_A_STAGE);
        report(calls -> calls.progress(run.lease(), percent, stage));
    }

    @Override
    public void log(String message) {
        Texts.requireStorable("message", Objects.requireNonNull(message, "message"), Integer.MAX_VALUE);
        report(calls -> calls.log(run.lease(), "INFO", message));
    }

    @Override
    public <T> T step(String name, Class<T> type, Callable<T> action) throws Exception {
        return step(name, (Type) Objects.requireNonNull(type, "type"), action);
    }

    @Override
    public <T> T step(String name, ParameterizedTypeReference<T> type, Callable<T> action) throws Exception {
        return step(name, Objects.requireNonNull(type, "type").getType(), action);
    }

    private <T> T step(String name, Type type, Callable<T> action) throws Exception {
        hooks.before();
        T value = steps.step(
                name,
                type,
                action,
                result -> reports != null
                        ? steps.keep(name, result)
                        : fenced(() -> tools.calls().saveStep(run.lease(), name, result)));
        hooks.stepped(this, name);
        return value;
    }

    public HandlerSteps steps() {
        return steps;
    }

    @Override
    public void extend(Duration timeout) {
        Spans.require("timeout", timeout);
        if (reports != null) {
            tools.reports().requireSendingMeanwhile(run);
        }
        report(calls -> calls.extend(run.lease(), timeout));
        tools.timeouts().watch(run, timeout);
        hooks.extended(timeout);
    }

    @Override
    public void snooze(Duration delay) {
        hooks.before();
        this.snooze = Spans.require("delay", delay);
    }

    /** When the handler wants to be called again; {@code null} if it does not. */
    @Nullable
    Duration snoozed() {
        return snooze;
    }

    @Override
    public boolean isCancelled() {
        return run.stopped() != null;
    }

    @Override
    public UUID publish(Job child) {
        refuseIfLost("publishes");
        return tools.publisher().publish(child);
    }

    @Override
    public @Nullable UUID flowId() {
        return flow.id();
    }

    @Override
    public @Nullable String flowStep() {
        return flow.step();
    }

    @Override
    public <T> @Nullable T resultOf(String step, Class<T> type) {
        return flow.result(step, type, tools.results(), tools.json());
    }

    @Override
    public <T> @Nullable T resultOf(String step, ParameterizedTypeReference<T> type) {
        return flow.result(step, type.getType(), tools.results(), tools.json());
    }

    @Override
    public UUID addToBatch(Job member) {
        refuseIfLost("publishes");
        return tools.publisher()
                .addToBatch(flow.requireBatch(), List.of(member))
                .get(0);
    }

    @Override
    public void addSteps(UnaryOperator<Flow> added) {
        refuseIfLost("publishes");
        if (reports != null || !flow.has(added, tools.results(), tools.json())) {
            tools.publisher().addSteps(flow.requireFlow(), added);
        }
    }

    private void refuseIfLost(String verb) {
        hooks.before();
        Stop reason = run.stopped();
        if (reason == Stop.TIMED_OUT || reason == Stop.LOST) {
            throw new LeaseLostException("Job %s ('%s') is no longer this worker's (%s): it %s nothing any more"
                    .formatted(id(), type(), reason, verb));
        }
    }

    private void report(Consumer<ReportCalls> report) {
        hooks.before();
        if (reports == null) {
            fenced(() -> {
                report.accept(tools.calls());
                return true;
            });
        } else {
            refuseIfLost("reports");
            if (reports.add(report) && tools.reports().sendsMeanwhile()) {
                tools.reports().send(run, reports);
            }
        }
    }

    /** Sends what was reported and not sent yet, in the handler's own transaction. */
    void sendReports(ReportCalls joining) {
        if (reports != null) {
            reports.send(joining, new ArrayList<>());
        }
    }

    /** Does the same after that transaction was rolled back: the handler holds no connection any more. */
    void sendReportsApart() {
        if (reports != null && !reports.isEmpty()) {
            tools.reports().sendNow(run, reports);
        }
    }

    private <T> T fenced(Supplier<T> call) {
        try {
            return call.get();
        } catch (LeaseLostException ex) {
            run.stop(Stop.LOST);
            throw ex;
        } catch (JobNotFoundException ex) {
            // settled by the node that has the job now
            run.stop(Stop.LOST);
            throw new LeaseLostException(String.valueOf(ex.getMessage()), ex);
        }
    }
}
