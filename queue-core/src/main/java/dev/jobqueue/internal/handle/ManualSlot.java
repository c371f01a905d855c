package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobContext;
import dev.jobqueue.internal.db.Savepoints;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.settle.Claim;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.spi.ManualWorker.Watch;
import dev.jobqueue.spi.ManualWorker.WorkerCrash;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.SimpleTransactionStatus;
import org.springframework.transaction.support.TransactionCallback;
import org.springframework.transaction.support.TransactionOperations;

/**
 * A slot on the caller's thread. What a handler writes takes part in the caller's transaction, if one is open; an attempt
 * that leaves this transaction unusable is rolled back to the savepoint before it.
 */
public final class ManualSlot {

    private final HandlerRegistry handlers;
    private final Savepoints savepoints;
    private final JobTools tools;
    private final ReportCalls reports;
    private final JobRunner runner;
    private final BlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private @Nullable Attempt current;

    /**
     * @param setup its handlers are called through this slot alone
     */
    public ManualSlot(HandlingSetup setup, Savepoints savepoints) {
        this.handlers = setup.handlers();
        this.savepoints = savepoints;
        this.reports = new ReportCalls(Sql.joining(setup.dataSource(), setup.schema()));
        Timeouts timeouts = new Timeouts(job -> outcomes.add(timedOut(job)));
        JobTools ofNodes = setup.tools(timeouts);
        this.tools =
                new JobTools(reports, setup.json(), setup.publisher(), timeouts, ofNodes.reports(), setup.workerId());
        this.runner = new JobRunner(watched(setup), outcomes::add);
    }

    /**
     * Handles a job, and tells how it ended.
     *
     * @return {@code null} if the worker crashed or lost its lease: then the job must be rescued
     */
    public @Nullable Outcome handle(ClaimedJob claimed, Watch watch) {
        // reports at once, also those of a transactional handler: there is one connection, so none to wait for
        RunningJob job = new RunningJob(claimed, false, tools);
        Attempt attempt = new Attempt(job, watch, timeout(claimed));
        watch.flush();
        Savepoints.Mark mark = savepoints.set();
        outcomes.clear();
        current = attempt;
        try {
            if (attempt.timeout != null) {
                tools.timeouts().watch(job, attempt.timeout);
            }
            runner.run(job);
        } finally {
            current = null;
        }
        if (mark != null && !mark.keep()) {
            mark.rollBack();
            watch.rolledBack();
            if (!attempt.lost) {
                // stored apart from the handler's transaction on a node, so that they outlive it
                job.saveStepsAgain(reports);
            }
        }
        return attempt.lost ? null : attempt.late ? timedOut(job) : Objects.requireNonNull(outcomes.poll());
    }

    /** The lease of the job that runs; {@code null} if none does. */
    public @Nullable Claim running() {
        Attempt attempt = current;
        return attempt == null ? null : attempt.job.claim();
    }

    /** The job that runs was rescued: nothing that its handler tells counts any more. */
    public void lost() {
        Objects.requireNonNull(current).lost = true;
    }

    private @Nullable Duration timeout(ClaimedJob claimed) {
        return claimed.timeoutMillis() != null
                ? Duration.ofMillis(claimed.timeoutMillis())
                : Objects.requireNonNull(handlers.find(claimed.type())).timeout();
    }

    private Outcome timedOut(RunningJob job) {
        return new Outcome.Threw(
                job, "The attempt timed out on worker " + tools.workerId().get(), true);
    }

    /** The same, with handlers and transactions that this slot sees. */
    private HandlingSetup watched(HandlingSetup setup) {
        HandlerRegistry watched = new HandlerRegistry();
        handlers.all().forEach(handler -> watched.register(watched(handler), "the handler of " + handler.type()));
        return new HandlingSetup(
                watched,
                setup.slots(),
                setup.maxClaimBytes(),
                setup.dataSource(),
                setup.schema(),
                nested(setup.transactions()),
                setup.json(),
                setup.publisher(),
                setup.threads(),
                setup.interceptors(),
                setup.events(),
                setup.workerId());
    }

    private HandlerDefinition watched(HandlerDefinition handler) {
        return HandlerDefinition.ofGeneric(
                        handler.type(), handler.payloadType(), (payload, job) -> call(handler, payload, job))
                .queue(handler.queue())
                .timeout(handler.timeout())
                .retryPolicy(handler.retryPolicy())
                .transactional(handler.transactional())
                .aliases(handler.aliases().toArray(String[]::new));
    }

    private @Nullable Object call(HandlerDefinition handler, Object payload, JobContext job) throws Exception {
        Attempt attempt = Objects.requireNonNull(current);
        ManualContext context = new ManualContext(job, attempt.watch, attempt.timeout);
        Object result = null;
        Throwable thrown = null;
        try {
            attempt.watch.begins(context);
            result = HandlerResults.await(handler.function().handle(payload, context));
            attempt.watch.flush();
        } catch (Exception | Error ex) {
            thrown = ex;
        }
        WorkerCrash crash = context.crash();
        if (crash != null) {
            // also if the handler caught it: a node that died does not go on
            attempt.lost = true;
            throw crash;
        }
        if (context.isLate() && !attempt.lost) {
            attempt.late = true;
            throw new IllegalStateException("The attempt took longer than its timeout");
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        if (thrown instanceof Exception exception) {
            throw exception;
        }
        return result;
    }

    /** Those of transactional handlers: a savepoint in the caller's transaction, or one of their own. */
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
                Objects.requireNonNull(current).watch.rolledBack();
            }
        }
    }

    /** One call of a handler. */
    private static final class Attempt {

        private final RunningJob job;
        private final Watch watch;
        private final @Nullable Duration timeout;
        private boolean lost;
        private boolean late;

        Attempt(RunningJob job, Watch watch, @Nullable Duration timeout) {
            this.job = job;
            this.watch = watch;
            this.timeout = timeout;
        }
    }
}
