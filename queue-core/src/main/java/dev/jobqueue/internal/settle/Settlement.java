package dev.jobqueue.internal.settle;

import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.QueueEvents.Ending;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failed;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import dev.jobqueue.internal.settle.SettleCalls.Release;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells the database how runs ended, those that ended alike with one call. */
public final class Settlement {

    private static final Logger log = LoggerFactory.getLogger(Settlement.class);

    private final SettleCalls store;
    private final FailureLog failures;
    private final BiConsumer<Run, Ending> onSettled;

    /**
     * @param onSettled called with each job whose outcome was told, and how it ended
     */
    public Settlement(SettleCalls store, FailureLog failures, BiConsumer<Run, Ending> onSettled) {
        this.store = store;
        this.failures = failures;
        this.onSettled = onSettled;
    }

    /** Takes out of the batch what was told, so that nothing is told twice when the rest fails. */
    public void tell(List<Outcome> batch) {
        tell(
                batch,
                Outcome.Completed.class,
                Ending.COMPLETED,
                some -> lost(store.completeAll(some.stream()
                        .map(each -> new Completion(each.claim(), each.result()))
                        .toList())));
        tell(batch, Outcome.Threw.class, Ending.LEASE_LOST, this::fail);
        tell(batch, Outcome.Released.class, Ending.RELEASED, this::release);
        while (!batch.isEmpty()) {
            Ending ending = tellSingly(batch.get(0));
            onSettled.accept(batch.remove(0).job(), ending);
        }
    }

    /** Tells of one that the database refused: the attempt failed. */
    public void tellRefused(Outcome outcome, RuntimeException reason) {
        tell(new ArrayList<>(List.of(Unsettled.of(outcome).failed(reason).outcome())));
    }

    /**
     * @param usual how those ended that the call says nothing of
     */
    private <O extends Outcome> void tell(
            List<Outcome> batch, Class<O> kind, Ending usual, Function<List<O>, Map<UUID, Ending>> call) {
        List<O> some = batch.stream().filter(kind::isInstance).map(kind::cast).toList();
        if (!some.isEmpty()) {
            Map<UUID, Ending> endings = call.apply(some);
            batch.removeIf(kind::isInstance);
            some.forEach(each ->
                    onSettled.accept(each.job(), endings.getOrDefault(each.job().id(), usual)));
        }
    }

    private Map<UUID, Ending> fail(List<Outcome.Threw> some) {
        List<Failed> answers = store.failAll(some.stream()
                .map(each -> new Failure(each.claim(), each.error(), each.retry()))
                .toList());
        Map<UUID, Ending> endings = new HashMap<>();
        for (int i = 0; i < some.size(); i++) {
            Failed answer = answers.get(i);
            endings.put(answer.id(), Ending.ofFailure(answer.state()));
            if (answer.state() == JobState.SCHEDULED || answer.state() == JobState.DEAD) {
                failures.threw(some.get(i), answer.runAt());
            }
        }
        return endings;
    }

    private Map<UUID, Ending> release(List<Outcome.Released> some) {
        Map<UUID, Ending> endings = lost(store.releaseAll(some.stream()
                .map(each -> new Release(each.claim(), each.job().hasBegun()))
                .toList()));
        for (Outcome.Released each : some) {
            Run job = each.job();
            if (job.hasBegun() && !endings.containsKey(job.id()) && isDead(job)) {
                endings.put(job.id(), Ending.DEAD);
                log.error(
                        "Job {} ('{}') is dead: it was running when its worker stopped, time and again",
                        job.id(),
                        job.type());
            }
        }
        return endings;
    }

    /** Only for the log and the meters: the job is settled. */
    private boolean isDead(Run job) {
        try {
            return store.isDead(job.id());
        } catch (RuntimeException ex) {
            return false;
        }
    }

    private static Map<UUID, Ending> lost(List<UUID> ids) {
        Map<UUID, Ending> lost = new HashMap<>();
        ids.forEach(id -> lost.put(id, Ending.LEASE_LOST));
        return lost;
    }

    private Ending tellSingly(Outcome outcome) {
        try {
            if (outcome instanceof Outcome.Snoozed snoozed) {
                store.snooze(snoozed.claim(), snoozed.delay());
                return Ending.SNOOZED;
            }
            if (outcome instanceof Outcome.Undone undone) {
                store.snooze(undone.claim(), undone.delay());
                return Ending.RELEASED;
            }
            store.confirmCancel(outcome.claim());
            return Ending.CANCELLED;
        } catch (LeaseLostException | JobNotFoundException ex) {
            return Ending.LEASE_LOST;
        }
    }
}
