package dev.jobqueue.internal.worker;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.QueueEvents.Ending;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.JobStore.Completion;
import dev.jobqueue.internal.store.JobStore.Failed;
import dev.jobqueue.internal.store.JobStore.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataIntegrityViolationException;

/**
 * Tells the database how runs ended. One thread for the node: whatever ended while the last round trip was away is told
 * in the next, so batches grow by themselves under load and nothing waits when there is none.
 */
final class Settler {

    private static final Logger log = LoggerFactory.getLogger(Settler.class);

    private static final int MAX_BATCH = 1_000;

    private final JobStore store;
    private final JobsInFlight inFlight;
    private final QueueEvents events;
    private final Runnable onScheduled;
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private final Outage outage = new Outage("Settling jobs");
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean givingUp;

    /**
     * @param onScheduled called when a job waits for its next attempt
     */
    Settler(JobStore store, JobsInFlight inFlight, QueueEvents events, Runnable onScheduled) {
        this.store = store;
        this.inFlight = inFlight;
        this.events = events;
        this.onScheduled = onScheduled;
        this.thread = Threads.daemon("queue-settler").newThread(this::loop);
    }

    void start() {
        thread.start();
    }

    void accept(Outcome outcome) {
        if (outcome instanceof Outcome.Gone gone) {
            settled(gone.job(), gone.ending());
        } else {
            outcomes.add(outcome);
        }
    }

    int backlog() {
        return outcomes.size();
    }

    /** Settles what there is, for as long as that takes but no longer than so many milliseconds. */
    void close(long patienceMillis) throws InterruptedException {
        closing = true;
        thread.join(patienceMillis);
        givingUp = true;
        thread.interrupt();
        thread.join();
        if (!outcomes.isEmpty()) {
            log.warn("{} runs could not be settled before the shutdown; their jobs will be rescued", outcomes.size());
        }
    }

    private void loop() {
        List<Outcome> batch = new ArrayList<>();
        try {
            while (!givingUp && !(closing && outcomes.isEmpty() && batch.isEmpty())) {
                Outcome first = outcomes.poll(100, TimeUnit.MILLISECONDS);
                if (first != null) {
                    batch.add(first);
                    outcomes.drainTo(batch, MAX_BATCH - 1);
                    settleUntilDone(batch);
                    batch.clear();
                }
            }
        } catch (InterruptedException ex) {
            outcomes.addAll(batch);
            Thread.currentThread().interrupt();
        }
    }

    private void settleUntilDone(List<Outcome> batch) throws InterruptedException {
        boolean singly = false;
        while (!batch.isEmpty()) {
            try {
                if (singly) {
                    settleFirst(batch);
                } else {
                    settle(batch);
                }
                outage.over();
            } catch (RuntimeException ex) {
                if (singly || !isRefused(ex)) {
                    Thread.sleep(outage.failed(ex).toMillis());
                }
                singly |= isRefused(ex);
            }
        }
    }

    /** Takes out of the batch what was told, so that nothing is told twice when the rest fails. */
    private void settle(List<Outcome> batch) {
        long began = System.nanoTime();
        int size = batch.size();
        settle(
                batch,
                Outcome.Completed.class,
                Ending.COMPLETED,
                some -> lost(store.completeAll(some.stream()
                        .map(each -> new Completion(each.claim(), each.result()))
                        .toList())));
        settle(
                batch,
                Outcome.Threw.class,
                Ending.LEASE_LOST,
                some -> store
                        .failAll(some.stream()
                                .map(each -> new Failure(each.claim(), each.error(), each.retry()))
                                .toList())
                        .stream()
                        .collect(Collectors.toMap(
                                Failed::id, each -> Ending.ofFailure(each.state()), (one, other) -> one)));
        settle(
                batch,
                Outcome.Released.class,
                Ending.RELEASED,
                some -> lost(store.release(some.stream().map(Outcome::claim).toList())));
        while (!batch.isEmpty()) {
            Ending ending = settleSingly(batch.get(0));
            settled(batch.remove(0).job(), ending);
        }
        events.settled(Duration.ofNanos(System.nanoTime() - began), size);
    }

    /**
     * @param usual how those ended that the call says nothing of
     */
    private <O extends Outcome> void settle(
            List<Outcome> batch, Class<O> kind, Ending usual, Function<List<O>, Map<UUID, Ending>> call) {
        List<O> some = batch.stream().filter(kind::isInstance).map(kind::cast).toList();
        if (!some.isEmpty()) {
            Map<UUID, Ending> endings = call.apply(some);
            batch.removeIf(kind::isInstance);
            some.forEach(
                    each -> settled(each.job(), endings.getOrDefault(each.job().id(), usual)));
        }
    }

    private static Map<UUID, Ending> lost(List<UUID> ids) {
        Map<UUID, Ending> lost = new HashMap<>();
        ids.forEach(id -> lost.put(id, Ending.LEASE_LOST));
        return lost;
    }

    private Ending settleSingly(Outcome outcome) {
        try {
            if (outcome instanceof Outcome.Snoozed snoozed) {
                store.snooze(snoozed.claim(), snoozed.delay());
                return Ending.SNOOZED;
            }
            store.confirmCancel(outcome.claim());
            return Ending.CANCELLED;
        } catch (LeaseLostException | JobNotFoundException ex) {
            return Ending.LEASE_LOST;
        }
    }

    private void settled(RunningJob job, Ending ending) {
        inFlight.remove(job);
        if (ending == Ending.LEASE_LOST) {
            log.warn("The lease of job {} ('{}') was lost: how its run ended does not count", job.id(), job.type());
        }
        if (ending == Ending.RETRIED || ending == Ending.SNOOZED) {
            onScheduled.run();
        }
        events.handled(job.queue(), job.type(), ending, job.waited(), job.ran());
    }

    /** One outcome of the batch is something the database refuses to store: find it, and let its job die of it. */
    private void settleFirst(List<Outcome> batch) {
        Outcome first = batch.get(0);
        try {
            settle(new ArrayList<>(List.of(first)));
        } catch (RuntimeException ex) {
            if (!isRefused(ex)) {
                throw ex;
            }
            String error = "The outcome was refused: " + ex.getMessage();
            settle(new ArrayList<>(List.of(new Outcome.Threw(first.job(), error, false))));
        }
        batch.remove(0);
    }

    private static boolean isRefused(RuntimeException ex) {
        return ex instanceof InvalidJobException || ex instanceof DataIntegrityViolationException;
    }
}
