package dev.jobqueue.internal.settle;

import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failed;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.internal.settle.SettleCalls.Release;
import dev.jobqueue.spi.JobEnding;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes how runs ended to the database: one call for all runs of a batch that ended in the same way. */
public final class OutcomeWriter {

    private static final Logger log = LoggerFactory.getLogger(OutcomeWriter.class);

    private static final String STOPPED_TOO_OFTEN = "its worker stopped while it was running, too many times";

    private final SettleCalls store;
    private final FailureLog failures;
    private final Consumer<RunEnd> onSettled;

    /**
     * @param onSettled called with each run whose outcome was written, and how it ended
     */
    public OutcomeWriter(SettleCalls store, FailureLog failures, Consumer<RunEnd> onSettled) {
        this.store = store;
        this.failures = failures;
        this.onSettled = onSettled;
    }

    /** Writes a batch. Removes from it what was written, so that nothing is written twice when the rest fails. */
    public void write(List<Outcome> batch) {
        writeAll(
                batch,
                Outcome.Completed.class,
                JobEnding.COMPLETED,
                some -> lost(
                        some,
                        store.completeAll(some.stream()
                                .map(each -> new Completion(each.lease(), each.result()))
                                .toList())));
        writeAll(batch, Outcome.Threw.class, JobEnding.LEASE_LOST, this::fail);
        writeAll(batch, Outcome.Released.class, JobEnding.RELEASED, this::release);
        while (!batch.isEmpty()) {
            JobEnding ending = writeSingly(batch.get(0));
            onSettled.accept(RunEnd.of(batch.remove(0).job(), ending));
        }
    }

    /** Writes an attempt that threw, instead of an outcome that the database refused. */
    public void writeRefused(Outcome outcome, RuntimeException reason) {
        write(new ArrayList<>(List.of(Unsettled.of(outcome).failed(reason).outcome())));
    }

    /**
     * @param usual how those runs ended that the call returns nothing about
     */
    private <O extends Outcome> void writeAll(
            List<Outcome> batch, Class<O> kind, JobEnding usual, Function<List<O>, Map<UUID, RunEnd>> call) {
        List<O> some = batch.stream().filter(kind::isInstance).map(kind::cast).toList();
        if (!some.isEmpty()) {
            Map<UUID, RunEnd> ends = call.apply(some);
            batch.removeIf(kind::isInstance);
            some.forEach(each -> onSettled.accept(ends.getOrDefault(each.job().id(), RunEnd.of(each.job(), usual))));
        }
    }

    private Map<UUID, RunEnd> fail(List<Outcome.Threw> some) {
        List<Failed> answers = store.failAll(some.stream()
                .map(each -> new Failure(each.lease(), each.error(), each.retry()))
                .toList());
        Map<UUID, RunEnd> ends = new HashMap<>();
        for (int i = 0; i < some.size(); i++) {
            Failed answer = answers.get(i);
            ends.put(answer.id(), RunEnd.ofFailure(some.get(i), answer));
            if (answer.state() == JobState.SCHEDULED || answer.state() == JobState.DEAD) {
                failures.threw(some.get(i), answer.runAt());
            }
        }
        return ends;
    }

    private Map<UUID, RunEnd> release(List<Outcome.Released> some) {
        Map<UUID, RunEnd> ends = lost(
                some,
                store.releaseAll(some.stream()
                        .map(each -> new Release(each.lease(), each.begun()))
                        .toList()));
        for (Outcome.Released each : some) {
            Run job = each.job();
            if (each.begun() && !ends.containsKey(job.id()) && isDead(job)) {
                ends.put(job.id(), new RunEnd(job, JobEnding.DEAD, STOPPED_TOO_OFTEN, null));
                log.error("Job {} ('{}') is dead: {}", job.id(), job.type(), STOPPED_TOO_OFTEN);
            }
        }
        return ends;
    }

    /** Only for the log, the meters and the listeners: the job is settled. */
    private boolean isDead(Run job) {
        try {
            return store.isDead(job.id());
        } catch (RuntimeException ex) {
            return false;
        }
    }

    private static Map<UUID, RunEnd> lost(List<? extends Outcome> some, List<UUID> ids) {
        Map<UUID, RunEnd> lost = new HashMap<>();
        if (!ids.isEmpty()) {
            Set<UUID> all = Set.copyOf(ids);
            some.stream()
                    .map(Outcome::job)
                    .filter(job -> all.contains(job.id()))
                    .forEach(job -> lost.put(job.id(), RunEnd.of(job, JobEnding.LEASE_LOST)));
        }
        return lost;
    }

    private JobEnding writeSingly(Outcome outcome) {
        try {
            if (outcome instanceof Outcome.Snoozed snoozed) {
                store.snooze(snoozed.lease(), snoozed.delay());
                return JobEnding.SNOOZED;
            }
            if (outcome instanceof Outcome.RateLimited limited) {
                store.rateLimited(limited.lease(), limited.retryAfter(), limited.limit());
                return JobEnding.SNOOZED;
            }
            if (outcome instanceof Outcome.Undone undone) {
                store.snooze(undone.lease(), undone.delay());
                return JobEnding.RELEASED;
            }
            store.confirmCancel(outcome.lease());
            return JobEnding.CANCELLED;
        } catch (LeaseLostException | JobNotFoundException ex) {
            return JobEnding.LEASE_LOST;
        }
    }
}
