package dev.jobqueue.internal.worker;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.JobStore.Completion;
import dev.jobqueue.internal.store.JobStore.Failure;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();
    private final Outage outage = new Outage("Settling jobs");
    private final Thread thread;
    private volatile boolean closing;
    private volatile boolean givingUp;

    Settler(JobStore store, JobsInFlight inFlight) {
        this.store = store;
        this.inFlight = inFlight;
        this.thread = Threads.daemon("queue-settler").newThread(this::loop);
    }

    void start() {
        thread.start();
    }

    void accept(Outcome outcome) {
        if (outcome instanceof Outcome.Gone) {
            inFlight.remove(outcome.job());
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
        List<Completion> completed =
                select(batch, Outcome.Completed.class, each -> new Completion(each.claim(), each.result()));
        Set<UUID> lost = new HashSet<>();
        if (!completed.isEmpty()) {
            lost.addAll(store.completeAll(completed));
        }
        List<Failure> failed =
                select(batch, Outcome.Threw.class, each -> new Failure(each.claim(), each.error(), each.retry()));
        if (!failed.isEmpty()) {
            store.failAll(failed).stream().filter(each -> each.state() == null).forEach(each -> lost.add(each.id()));
        }
        var released = select(batch, Outcome.Released.class, Outcome::claim);
        if (!released.isEmpty()) {
            lost.addAll(store.release(released));
        }
        for (Outcome outcome : batch) {
            settleSingly(outcome, lost);
            if (lost.contains(outcome.job().id())) {
                log.warn(
                        "The lease of job {} ('{}') was lost: how its run ended does not count",
                        outcome.job().id(),
                        outcome.job().type());
            }
            inFlight.remove(outcome.job());
        }
    }

    private void settleSingly(Outcome outcome, Set<UUID> lost) {
        try {
            if (outcome instanceof Outcome.Snoozed snoozed) {
                store.snooze(snoozed.claim(), snoozed.delay());
            } else if (outcome instanceof Outcome.Cancelled cancelled) {
                store.confirmCancel(cancelled.claim());
            }
        } catch (LeaseLostException | JobNotFoundException ex) {
            lost.add(outcome.job().id());
        }
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
