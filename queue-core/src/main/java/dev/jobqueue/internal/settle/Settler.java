package dev.jobqueue.internal.settle;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.Threads;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.spi.JobEnding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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

    /** How many characters of results and errors a batch may have before the next outcome goes into another batch. */
    private static final long MAX_LENGTH = 8_000_000;

    /** How long a batch waits for a row that somebody else holds locked. */
    private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    /** How long a single outcome waits for such a row, and a batch while some rows are known to be locked. */
    private static final Duration SHORT_LOCK_WAIT = Duration.ofMillis(100);

    private static final Duration MEMORY_PAUSE = Duration.ofMillis(100);

    private final Runs inFlight;
    private final QueueEvents events;
    private final Afterwards afterwards;
    private final FailureLog failures;
    private final OutcomeWriter patient;
    private final OutcomeWriter brief;
    private final PostponedOutcomes postponed;
    private final LinkedBlockingQueue<Outcome> outcomes = new LinkedBlockingQueue<>();

    /** What the thread has taken and not settled yet. Allocated in full, so that adding to it needs no memory. */
    private final List<Outcome> batch = new ArrayList<>(MAX_BATCH);

    private final Outage outage = new Outage("Settling jobs");
    private final Loop loop = Loop.daemon("queue-settler", this::round);
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
        this.patient = new OutcomeWriter(new SettleCalls(apart.waitingForLocks(LOCK_WAIT)), failures, this::settled);
        this.brief =
                new OutcomeWriter(new SettleCalls(apart.waitingForLocks(SHORT_LOCK_WAIT)), failures, this::settled);
        this.postponed = new PostponedOutcomes(brief, inFlight);
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
        return outcomes.size() + postponed.size();
    }

    public Outage outage() {
        return outage;
    }

    /** The single runs that cannot be settled now, as long as there are some. */
    public Optional<Outage.Report> held() {
        return postponed.report();
    }

    /** {@link #held()} if there are as many of them as slots and nothing was settled since: the whole node is stuck. */
    public Optional<Outage.Report> allHeld(int slots) {
        return postponed.size() >= slots && postponed.beganAfter(settledAt) ? held() : Optional.empty();
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
        settlePostponed();
        failures.tellLeftOut();
    }

    private void collect() throws InterruptedException {
        Outcome next = batch.isEmpty() ? outcomes.poll(100, TimeUnit.MILLISECONDS) : null;
        for (long length = 0; next != null; next = takesMore(length) ? outcomes.poll() : null) {
            batch.add(next);
            length += next.length();
        }
    }

    private boolean takesMore(long length) {
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
                    (postponed.isEmpty() ? patient : brief).write(batch);
                    events.settled(Duration.ofNanos(System.nanoTime() - began), size);
                }
                outage.over();
            } catch (Throwable ex) {
                singly = !waitOut(ex);
            }
        }
    }

    /** Once a row is found locked, the outcomes that need a call each wait for their turn: each may meet a lock too. */
    private void settleFirst() {
        boolean settled = postponed.settle(batch.get(0));
        batch.remove(0);
        if (!settled) {
            batch.removeIf(each -> each.isSingle() && postponed.add(each));
        }
    }

    /** Settles those that are due, or one of them while other outcomes wait: each may have to wait for a lock. */
    private void settlePostponed() throws InterruptedException {
        boolean goesOn = true;
        for (int left = postponed.size(); left > 0 && goesOn && !givingUp; left--) {
            if (postponed.isNextDue(closing)) {
                settleNextPostponed();
                goesOn = outcomes.isEmpty();
            } else {
                postponed.skip();
            }
        }
    }

    private void settleNextPostponed() throws InterruptedException {
        loop.works();
        try {
            outage.begins();
            postponed.settleNext();
            outage.over();
        } catch (Throwable ex) {
            waitOut(ex);
        }
    }

    /** Waits if the database is away; {@code false} if it refused the outcomes. */
    private boolean waitOut(Throwable ex) throws InterruptedException {
        if (DatabaseErrors.isAway(ex)) {
            Thread.sleep(outage.failed(ex).toMillis());
            return true;
        }
        outage.over();
        return false;
    }

    private void settled(RunEnd end) {
        Run job = end.job();
        JobEnding ending = end.ending();
        settledAt = System.nanoTime();
        job.settled(ending);
        inFlight.remove(job);
        log.debug("The run of job {} ('{}') ended: {}", job.id(), job.type(), ending.label());
        if (ending == JobEnding.LEASE_LOST) {
            log.warn("The lease of job {} ('{}') was lost: the outcome of this run is dropped", job.id(), job.type());
        }
        afterwards.settled(job, ending);
        try {
            events.ended(end.event());
        } catch (RuntimeException ex) {
            // whoever counts runs must not keep the next ones from being settled
            log.warn("The end of job {} ('{}') could not be counted", job.id(), job.type(), ex);
        }
    }
}
