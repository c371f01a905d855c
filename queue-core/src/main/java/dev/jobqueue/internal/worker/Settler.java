package dev.jobqueue.internal.worker;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.QueueEvents.Ending;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.Claim;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.JobStore.Completion;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private final Outage outage = new Outage("Settling jobs");
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean givingUp;

    Settler(JobStore store, JobsInFlight inFlight, QueueEvents events) {
        this.store = store;
        this.inFlight = inFlight;
        this.events = events;
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
        while (true) {
            try {
                settle(batch);
                outage.over();
                return;
            } catch (InvalidJobException ex) {
                batch.forEach(this::settleAlone);
                return;
            } catch (RuntimeException ex) {
                Thread.sleep(outage.failed(ex).toMillis());
            }
        }
    }

    private void settle(List<Outcome> batch) {
        long began = System.nanoTime();
        Map<UUID, Ending> endings = new HashMap<>();
        List<Completion> completed =
                select(batch, Outcome.Completed.class, each -> new Completion(each.claim(), each.result()));
        if (!completed.isEmpty()) {
            store.completeAll(completed).forEach(id -> endings.put(id, Ending.LEASE_LOST));
        }
        List<Failure> failed =
                select(batch, Outcome.Threw.class, each -> new Failure(each.claim(), each.error(), each.retry()));
        if (!failed.isEmpty()) {
            store.failAll(failed).forEach(each -> endings.put(each.id(), Ending.ofFailure(each.state())));
        }
        List<Claim> released = select(batch, Outcome.Released.class, Outcome::claim);
        if (!released.isEmpty()) {
            store.release(released).forEach(id -> endings.put(id, Ending.LEASE_LOST));
        }
        for (Outcome outcome : batch) {
            Ending ending = endings.get(outcome.job().id());
            settled(outcome.job(), ending != null ? ending : settleSingly(outcome));
        }
        events.settled(Duration.ofNanos(System.nanoTime() - began), batch.size());
    }

    private Ending settleSingly(Outcome outcome) {
        try {
            if (outcome instanceof Outcome.Snoozed snoozed) {
                store.snooze(snoozed.claim(), snoozed.delay());
                return Ending.SNOOZED;
            }
            if (outcome instanceof Outcome.Cancelled cancelled) {
                store.confirmCancel(cancelled.claim());
                return Ending.CANCELLED;
            }
            return outcome instanceof Outcome.Released ? Ending.RELEASED : Ending.COMPLETED;
        } catch (LeaseLostException | JobNotFoundException ex) {
            return Ending.LEASE_LOST;
        }
    }

    private void settled(RunningJob job, Ending ending) {
        inFlight.remove(job);
        if (ending == Ending.LEASE_LOST) {
            log.warn("The lease of job {} ('{}') was lost: how its run ended does not count", job.id(), job.type());
        }
        events.handled(job.queue(), job.type(), ending, job.waited(), job.ran());
    }

    /** One outcome of the batch is something the database refuses to store: find it, and let its job die of it. */
    private void settleAlone(Outcome outcome) {
        try {
            settle(List.of(outcome));
        } catch (InvalidJobException ex) {
            settle(List.of(new Outcome.Threw(outcome.job(), "The outcome was refused: " + ex.getMessage(), false)));
        }
    }

    private static <O extends Outcome, T> List<T> select(List<Outcome> batch, Class<O> kind, Function<O, T> mapping) {
        List<T> selected = new ArrayList<>(batch.size());
        for (Outcome outcome : batch) {
            if (kind.isInstance(outcome)) {
                selected.add(mapping.apply(kind.cast(outcome)));
            }
        }
        return selected;
    }
}
