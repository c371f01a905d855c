package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.RateLimitedException;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.internal.HandlerResults;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Leftovers;
import dev.jobqueue.internal.extend.Interceptors;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.RunningJob.Stop;
import dev.jobqueue.internal.settle.JobMdc;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.internal.settle.SettleCalls;
import dev.jobqueue.internal.settle.Undone;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/** Runs the handler of a job and tells the settler how it ended. */
public final class JobRunner {

    private static final Logger log = LoggerFactory.getLogger(JobRunner.class);

    private final HandlerRegistry handlers;
    private final Json json;
    private final ReportCalls lastReports;
    private final SettleCalls joiningSettlements;
    private final TransactionOperations transactions;
    private final Interceptors interceptors;
    private final QueueEvents events;
    private final Consumer<Outcome> settler;
    private final Undone undone = new Undone();

    public JobRunner(HandlingSetup setup, Consumer<Outcome> settler) {
        Application application = setup.application();
        this.handlers = application.handlers();
        this.json = application.json();
        this.lastReports = setup.lastReports();
        this.joiningSettlements = setup.joiningSettlements();
        this.transactions = setup.resources().transactions();
        this.interceptors = application.extensions().interceptors();
        this.events = application.extensions().events();
        this.settler = settler;
    }

    /** Handles the job; {@code false} if its slot was given away meanwhile. */
    public boolean run(RunningJob job) {
        boolean begun = job.enter();
        if (begun) {
            tellStarted(job);
        }
        Outcome outcome = begun ? outcome(job) : stopped(job);
        if (job.tryEnd()) {
            settler.accept(outcome);
            return true;
        }
        return !begun;
    }

    /** Never throws, also with a full heap: the run goes on. */
    void tellStarted(RunningJob job) {
        try {
            if (events.followsJobs()) {
                events.started(new JobEvent.Started(
                        job.id(), job.type(), job.queue(), Instant.now(), job.attempt(), job.waited()));
            }
        } catch (Throwable thrown) {
            log.debug("The start of a job could not be told", thrown);
        }
    }

    /** Never throws: if the outcome cannot be described, with a full heap for instance, the attempt threw. */
    private Outcome outcome(RunningJob job) {
        try {
            return handleNamed(job);
        } catch (Throwable thrown) {
            return job.untold();
        }
    }

    private Outcome handleNamed(RunningJob job) {
        JobMdc.put(job);
        try {
            return handle(job);
        } finally {
            JobMdc.clear();
        }
    }

    private Outcome handle(RunningJob job) {
        try {
            HandlerDefinition handler = Objects.requireNonNull(handlers.find(job.type()));
            Object payload = json.readPayload(job.claimed().payload(), handler.payloadType());
            return handler.transactional()
                    ? inTransaction(job, handler, payload)
                    : returned(job, call(handler, payload, job));
        } catch (Throwable thrown) {
            job.context().sendReportsApart();
            return threw(job, thrown);
        } finally {
            job.leave();
        }
    }

    /** Handler and settlement commit together; a lost lease rolls back both. */
    private Outcome inTransaction(RunningJob job, HandlerDefinition handler, Object payload) {
        try {
            transactions.executeWithoutResult(status -> {
                Object result = invoke(handler, payload, job);
                job.context().sendReports(lastReports);
                Duration snooze = job.context().snoozed();
                if (snooze != null) {
                    // the transaction commits, so its steps are done
                    job.context().steps().save(lastReports);
                    joiningSettlements.snooze(job.lease(), snooze);
                } else {
                    joiningSettlements.complete(job.lease(), write(result));
                }
            });
        } catch (HandlerException ex) {
            if (ex.getCause() == null || !DatabaseErrors.isOutage(ex.getCause())) {
                throw ex;
            }
            return undone(job, ex).orElseThrow(() -> ex);
        } catch (RuntimeException ex) {
            return undone(job, ex).orElseThrow(() -> ex);
        }
        undone.forget(job.id());
        return new Outcome.Gone(job, job.context().snoozed() != null ? JobEnding.SNOOZED : JobEnding.COMPLETED);
    }

    /**
     * What became of a transaction that could not begin, be settled, commit or roll back. The handler's own exceptions
     * do not come here, unless the connection is lost, so that the rollback fails too.
     */
    private Optional<Outcome> undone(RunningJob job, RuntimeException ex) {
        if (job.stopped() != null || !DatabaseErrors.isRepeatable(ex)) {
            return Optional.empty();
        }
        return undone.pause(job.id()).map(pause -> {
            log.warn(
                    "The transaction of job {} ('{}') was lost, it runs again after {}: {}",
                    job.id(),
                    job.type(),
                    pause,
                    Errors.reason(ex));
            return new Outcome.Undone(job, pause);
        });
    }

    /** A handler that leaves a transaction open has failed, even if it returned: its writes are rolled back. */
    private @Nullable Object call(HandlerDefinition handler, Object payload, RunningJob job) throws Exception {
        HandlerContext context = job.context();
        return Leftovers.refuse(
                job.type(),
                job.id(),
                () -> interceptors.handle(
                        context, () -> HandlerResults.await(handler.function().handle(payload, context))));
    }

    private @Nullable Object invoke(HandlerDefinition handler, Object payload, RunningJob job) {
        try {
            return call(handler, payload, job);
        } catch (Exception ex) {
            throw new HandlerException(ex);
        }
    }

    Outcome returned(RunningJob job, @Nullable Object result) {
        if (job.stopped() == Stop.LOST) {
            return new Outcome.Gone(job, JobEnding.LEASE_LOST);
        }
        Duration snooze = job.context().snoozed();
        if (snooze != null) {
            return new Outcome.Snoozed(job, snooze);
        }
        return new Outcome.Completed(job, write(result));
    }

    /** A result that cannot be stored ends the job: another attempt would return the same. */
    private @Nullable String write(@Nullable Object result) {
        try {
            return result == null ? null : json.writeResult(result);
        } catch (InvalidJobException ex) {
            throw new PermanentJobException("The result cannot be stored: " + ex.getMessage(), ex);
        }
    }

    static Outcome threw(RunningJob job, Throwable thrown) {
        Throwable cause = thrown instanceof HandlerException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (job.stopped() != null && job.stopped() != Stop.TIMED_OUT) {
            return stopped(job);
        }
        if (cause instanceof LeaseLostException) {
            return new Outcome.Gone(job, JobEnding.LEASE_LOST);
        }
        if (cause instanceof RateLimitedException limited) {
            return new Outcome.RateLimited(job, limited.retryAfter(), limited.limit());
        }
        boolean retry = !(cause instanceof PermanentJobException);
        return new Outcome.Threw(job, Errors.describe(cause), retry);
    }

    static Outcome stopped(RunningJob job) {
        Stop reason = Objects.requireNonNull(job.stopped());
        return switch (reason) {
            case CANCELLED -> new Outcome.Cancelled(job);
            case SHUTDOWN -> new Outcome.Released(job);
            case LOST, TIMED_OUT -> new Outcome.Gone(job, JobEnding.LEASE_LOST);
        };
    }

    /** Carries an exception of the handler through the transaction, which rolls back on it. */
    private static final class HandlerException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        HandlerException(Exception cause) {
            super(cause);
        }
    }
}
