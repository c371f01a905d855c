package dev.jobqueue.internal.settle;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.spi.JobEnding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the database how runs ended. One thread for the node: whatever ended while the last round trip was away is told
 * in the next, so batches grow by themselves under load and nothing waits when there is none.
 *
 * <p>While the database is away, everything waits. An outcome that the database does not take for another reason is a
 * matter of its own job: it is told alone, later if somebody holds the job locked, and as a failure if it is refused.
 */
public final class Settler {

    private static final Logger log = LoggerFactory.getLogger(Settler.class);

    private static final int MAX_BATCH = 1_000;

    /** Of the results and errors in a batch, in characters: the next one begins with the outcome after it. */
    private static final long MAX_LENGTH = 8_000_000;

    /** How long a batch waits for a row that somebody else holds locked. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    /** The same for a single outcome, and for batches while some rows are known to be locked. */
    private static final Duration SHORT_LOCK_WAIT = Duration.ofMillis(100);

    /** How often an outcome is told in vain before its job is left to be rescued. */
    private static final int MOST_TRIES = 3;

    private static final Duration MEMORY_PAUSE = Duration.ofMillis(100);

    private final Runs inFlight;
    private final QueueEvents events;
    private final Afterwards afterwards;
    private final FailureLog failures;
    private final Settlement patient;
    private final Settlement brief;
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();

    /** What the thread has taken and not settled yet. It has room: to add to it takes no memory. */
    private final List<Outcome> batch = new ArrayList<>(MAX_BATCH);

    private final Queue<Unsettled> unsettled = new ConcurrentLinkedQueue<>();
    private final Outage outage = new Outage("Settling jobs");
    private final Loop loop = Loop.daemon("queue-settler", this::round);
    private volatile @Nullable Long heldSince;
    private volatile String heldBy = "";
    private volatile long settledAt = System.nanoTime();
    private volatile boolean closing;
    private volatile boolean givingUp;

    /**
     * @param apart joins no transaction
     * @param afterwards told of runs after which something may be to do
     */
    public Settler(Sql apart, Runs inFlight, QueueEvents events, FailureLog failures, Afterwards afterwards) {
        this.inFlight = inFlight;
        this.events = events;
        this.failures = failures;
        this.afterwards = afterwards;
        this.patient = new Settlement(new SettleCalls(apart.waitingForLocks(LOCK_WAIT)), failures, this::settled);
        this.brief = new Settlement(new SettleCalls(apart.waitingForLocks(SHORT_LOCK_WAIT)), failures, this::settled);
    }

    public void start() {
        loop.start();
    }

    public Loop loop() {
        return loop;
    }

    /** However full the heap is: a run that nobody settles would leave its job running for ever. */
    public void accept(Outcome outcome) {
        boolean told = false;
        while (!told) {
            try {
                take(outcome);
                told = true;
            } catch (OutOfMemoryError ex) {
                LockSupport.parkNanos(MEMORY_PAUSE.toNanos());
            }
        }
    }

    private void take(Outcome outcome) {
        if (outcome instanceof Outcome.Gone gone) {
            settled(RunEnd.of(gone.job(), gone.ending()));
        } else {
            outcomes.add(outcome);
        }
    }

    public int backlog() {
        return outcomes.size() + unsettled.size();
    }

    public Outage outage() {
        return outage;
    }

    /** The single runs that cannot be settled now, as long as there are some. */
    public Optional<Outage.Report> held() {
        return Optional.ofNullable(heldSince)
                .map(since -> new Outage.Report(
                        "Settling single jobs",
                        Duration.ofNanos(System.nanoTime() - since),
                        Counts.of(unsettled.size(), "run") + " to settle, last error: " + heldBy,
                        false));
    }

    /** The same if these are so many, and nothing else was settled since: no slot has settled anything. */
    public Optional<Outage.Report> allHeld(int slots) {
        Long since = heldSince;
        return since != null && unsettled.size() >= slots && settledAt - since < 0 ? held() : Optional.empty();
    }

    /** Settles what there is, for as long as that takes but no longer than so many milliseconds. */
    public void close(long patienceMillis) throws InterruptedException {
        closing = true;
        loop.join(Duration.ofMillis(patienceMillis));
        givingUp = true;
        loop.end();
        loop.interrupt();
        loop.join(Threads.CLOSE_WAIT);
        if (inFlight.size() > 0) {
            log.warn(
                    "{} could not be settled before the shutdown, and will be rescued",
                    Counts.of(inFlight.size(), "job"));
        }
    }

    private void round() throws InterruptedException {
        if (givingUp || (closing && backlog() == 0 && batch.isEmpty())) {
            loop.end();
            return;
        }
        collect();
        settleBatch();
        settleUnsettled();
        failures.tellLeftOut();
    }

    private void collect() throws InterruptedException {
        Outcome next = batch.isEmpty() ? outcomes.poll(100, TimeUnit.MILLISECONDS) : null;
        for (long length = 0; next != null; next = goesOn(length) ? outcomes.poll() : null) {
            batch.add(next);
            length += next.length();
        }
    }

    private boolean goesOn(long length) {
        return batch.size() < MAX_BATCH && length < MAX_LENGTH;
    }

    private void settleBatch() throws InterruptedException {
        boolean singly = false;
        while (!batch.isEmpty() && !givingUp) {
            loop.works();
            try {
                outage.begins();
                if (singly) {
                    settleFirst();
                } else {
                    long began = System.nanoTime();
                    int size = batch.size();
                    (unsettled.isEmpty() ? patient : brief).tell(batch);
                    events.settled(Duration.ofNanos(System.nanoTime() - began), size);
                }
                outage.over();
            } catch (Throwable ex) {
                singly = !waitedFor(ex);
            }
        }
    }

    /** Once a row is found locked, the outcomes that need a call each wait for their turn: each may have to wait so. */
    private void settleFirst() {
        int before = unsettled.size();
        settleAlone(Unsettled.of(batch.get(0)));
        batch.remove(0);
        if (unsettled.size() > before) {
            batch.removeIf(each -> each.isSingle() && unsettled.add(Unsettled.of(each)));
        }
    }

    /** Those that are due, or one of them while other outcomes wait: each may have to wait for a lock. */
    private void settleUnsettled() throws InterruptedException {
        boolean goesOn = true;
        for (int left = unsettled.size(); left > 0 && goesOn && !givingUp; left--) {
            Unsettled next = unsettled.element();
            if (closing || next.isDue()) {
                settleDue(next);
                goesOn = outcomes.isEmpty();
            } else {
                unsettled.add(unsettled.remove());
            }
        }
        if (unsettled.isEmpty()) {
            heldSince = null;
        }
    }

    /** The first of the queue leaves it when it is settled, or postponed once more. */
    private void settleDue(Unsettled first) throws InterruptedException {
        loop.works();
        try {
            outage.begins();
            settleAlone(first);
            unsettled.remove();
            outage.over();
        } catch (Throwable ex) {
            waitedFor(ex);
        }
    }

    /** Waits if the database is away; {@code false} if it has something against what it was told. */
    private boolean waitedFor(Throwable ex) throws InterruptedException {
        if (DatabaseErrors.isAway(ex)) {
            Thread.sleep(outage.failed(ex).toMillis());
            return true;
        }
        outage.over();
        return false;
    }

    /** Throws only what tells of a database that is away. */
    private void settleAlone(Unsettled one) {
        try {
            brief.tell(new ArrayList<>(List.of(one.outcome())));
        } catch (Throwable ex) {
            if (DatabaseErrors.isAway(ex)) {
                throw ex;
            }
            if (DatabaseErrors.isBusy(ex) || (ex instanceof VirtualMachineError && one.tries() < MOST_TRIES)) {
                postpone(one, ex);
            } else if (!one.asFailure()) {
                settleAlone(one.failed(ex));
            } else if (one.tries() < MOST_TRIES) {
                postpone(one, ex);
            } else {
                letGo(one.outcome().job(), ex);
            }
        }
    }

    private void postpone(Unsettled one, Throwable reason) {
        String line = Errors.reason(reason);
        if (one.tries() == 0) {
            Run job = one.outcome().job();
            log.warn("Job {} ('{}') cannot be settled now, trying again: {}", job.id(), job.type(), line);
        }
        heldBy = line;
        heldSince = heldSince == null ? System.nanoTime() : heldSince;
        unsettled.add(one.later());
    }

    /** The heartbeat names the job no longer, so that it goes back to its queue. */
    private void letGo(Run job, Throwable reason) {
        inFlight.remove(job);
        log.error(
                "Job {} ('{}') cannot be settled, so that it will run again: {}",
                job.id(),
                job.type(),
                Errors.reason(reason));
    }

    private void settled(RunEnd end) {
        Run job = end.job();
        JobEnding ending = end.ending();
        settledAt = System.nanoTime();
        inFlight.remove(job);
        log.debug("The run of job {} ('{}') ended: {}", job.id(), job.type(), ending.label());
        if (ending == JobEnding.LEASE_LOST) {
            log.warn("The lease of job {} ('{}') was lost: how its run ended does not count", job.id(), job.type());
        }
        if (ending == JobEnding.RETRIED || ending == JobEnding.SNOOZED || ending == JobEnding.RELEASED) {
            afterwards.scheduled();
        }
        if (job.isLimited()) {
            afterwards.freed(job.queue());
        }
        try {
            events.ended(end.event());
        } catch (RuntimeException ex) {
            // whoever counts runs must not keep the next ones from being settled
            log.warn("The end of job {} ('{}') could not be counted", job.id(), job.type(), ex);
        }
    }

    /** What a run may leave to do on this node. */
    public interface Afterwards {

        /** A job waits for its next attempt. */
        void scheduled();

        /** A job with limits ended, so that others of the queue may start. */
        default void freed(String queue) {}
    }
}
