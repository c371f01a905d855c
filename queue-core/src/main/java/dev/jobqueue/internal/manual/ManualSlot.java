package dev.jobqueue.internal.manual;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobContext;
import dev.jobqueue.internal.HandlerResults;
import dev.jobqueue.internal.db.Savepoints;
import dev.jobqueue.internal.handle.Application;
import dev.jobqueue.internal.handle.BundleRunner;
import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.handle.HandlingSetup;
import dev.jobqueue.internal.handle.JobRunner;
import dev.jobqueue.internal.handle.ReportCalls;
import dev.jobqueue.internal.handle.RunningJob;
import dev.jobqueue.internal.handle.Timeouts;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.spi.BundleFunction;
import dev.jobqueue.spi.BundledJob;
import dev.jobqueue.spi.ManualWorker.Watch;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A slot on the caller's thread. What a handler writes takes part in the caller's transaction, if one is open. An
 * attempt that leaves this transaction unusable is rolled back to the savepoint before it.
 */
public final class ManualSlot {

    private final HandlingSetup setup;
    private final HandlerRegistry handlers;
    private final Savepoints savepoints;
    private final HandlingSetup.Tools tools;
    private final ReportCalls reports;
    private final JobRunner runner;
    private final BundleRunner bundles;
    private final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private @Nullable ManualAttempt current;

    /**
     * @param setup its handlers are called through this slot alone
     */
    public ManualSlot(HandlingSetup setup, Savepoints savepoints) {
        this.setup = setup;
        this.handlers = setup.application().handlers();
        this.savepoints = savepoints;
        this.reports = setup.joiningReports();
        this.tools = setup.tools(new Timeouts(job -> outcomes.add(timedOut(job)), job -> {}), reports);
        HandlingSetup watched = watched(setup);
        this.runner = new JobRunner(watched, outcomes::add);
        this.bundles = new BundleRunner(watched, runner, outcomes::add);
    }

    /**
     * Handles a job, and tells how it ended.
     *
     * @return {@code null} if the worker crashed or lost its lease: then the job must be rescued
     */
    public @Nullable Outcome handle(ClaimedJob claimed, Watch watch) {
        // reports at once, also those of a transactional handler: there is one connection, so none to wait for
        ManualAttempt attempt = new ManualAttempt(claimed.lease(), watch, claimed.timeout(handlerOf(claimed)));
        RunningJob job = handlerOf(claimed).bundleFunction() == null
                ? new RunningJob(claimed, false, tools, attempt)
                : new BundledRun(claimed, 1, new BundledRun.Series(), tools, attempt);
        watch.flush();
        Savepoints.Mark mark = savepoints.set();
        outcomes.clear();
        current = attempt;
        try {
            Duration timeout = attempt.timeout();
            if (timeout != null) {
                tools.timeouts().watch(job, timeout);
            }
            run(job);
        } finally {
            current = null;
        }
        if (mark != null && !mark.keep()) {
            mark.rollBack();
            watch.rolledBack();
            if (!attempt.isLost()) {
                // stored apart from the handler's transaction on a node, so that they outlive it
                job.context().steps().saveAgain(reports);
            }
        }
        if (attempt.isLost()) {
            return null;
        }
        return attempt.isLate() ? timedOut(job) : Objects.requireNonNull(outcomes.poll());
    }

    private void run(RunningJob job) {
        if (job instanceof BundledRun bundled) {
            bundles.run(List.of(bundled));
        } else {
            runner.run(job);
        }
    }

    /** The lease of the job that runs; {@code null} if none does. */
    public @Nullable JobLease running() {
        ManualAttempt attempt = current;
        return attempt == null ? null : attempt.lease();
    }

    /** The job that runs was rescued: nothing that its handler tells counts any more. */
    public void lost() {
        Objects.requireNonNull(current).lose();
    }

    private HandlerDefinition handlerOf(ClaimedJob claimed) {
        return Objects.requireNonNull(handlers.find(claimed.type()));
    }

    private Outcome timedOut(RunningJob job) {
        return new Outcome.Threw(job, setup.timedOut(), true);
    }

    /** The setup of the application, with handlers and transactions that this slot sees. */
    private HandlingSetup watched(HandlingSetup given) {
        HandlerRegistry watched = new HandlerRegistry();
        handlers.all().forEach(handler -> watched.register(watched(handler), "the handler of " + handler.type()));
        Application application = given.application();
        HandlingSetup.Resources resources = given.resources();
        return new HandlingSetup(
                new Application(application.database(), watched, application.json(), application.extensions()),
                new HandlingSetup.Resources(
                        nested(resources.transactions()), resources.publisher(), resources.threads()),
                given.slots(),
                given.maxClaimBytes(),
                given.workerId());
    }

    private HandlerDefinition watched(HandlerDefinition handler) {
        BundleFunction<Object> bundle = handler.bundleFunction();
        HandlerDefinition watched = bundle == null
                ? HandlerDefinition.ofGeneric(
                        handler.type(),
                        handler.payloadType(),
                        (payload, job) -> call(job, () -> handler.function().handle(payload, job)))
                : HandlerDefinition.ofBundle(
                        handler.type(), classOf(handler), jobs -> call(bundle, jobs), handler.most());
        return watched.queue(handler.queue())
                .timeout(handler.timeout())
                .retryPolicy(handler.retryPolicy())
                .transactional(handler.transactional())
                .aliases(handler.aliases().toArray(String[]::new));
    }

    /** Handlers that take many jobs at once read payloads of a class. */
    @SuppressWarnings("unchecked")
    private static Class<Object> classOf(HandlerDefinition handler) {
        return (Class<Object>) handler.payloadType();
    }

    private void call(BundleFunction<Object> bundle, List<BundledJob<Object>> jobs) throws Exception {
        call(jobs.get(0).context(), () -> {
            bundle.handle(jobs);
            return null;
        });
    }

    private @Nullable Object call(JobContext job, Callable<@Nullable Object> handler) throws Exception {
        ManualAttempt attempt = Objects.requireNonNull(current);
        Object result = null;
        Throwable thrown = null;
        try {
            attempt.begins(job);
            result = HandlerResults.await(handler.call());
            attempt.watch().flush();
        } catch (Exception | Error ex) {
            thrown = ex;
        }
        attempt.returned();
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof Exception exception) {
            throw exception;
        }
        return result;
    }

    /** The transactions of transactional handlers: a savepoint in the caller's transaction, or one of their own. */
    private TransactionOperations nested(TransactionOperations own) {
        return new TransactionOperations() {
            @Override
            public <T extends @Nullable Object> T execute(TransactionCallback<T> action) {
                Savepoints.Mark mark = savepoints.set();
                return mark == null ? own.execute(action) : ManualSlot.this.execute(mark, action);
            }
        };
    }

    private <T extends @Nullable Object> T execute(Savepoints.Mark mark, TransactionCallback<T> action) {
        boolean kept = false;
        try {
            T result = action.doInTransaction(new SimpleTransactionStatus(false));
            kept = mark.keep();
            if (!kept) {
                throw new UnexpectedRollbackException("Transaction rolled back because it was marked rollback-only");
            }
            return result;
        } finally {
            if (!kept) {
                mark.rollBack();
                Objects.requireNonNull(current).watch().rolledBack();
            }
        }
    }
}
