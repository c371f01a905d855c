package dev.jobqueue.internal.settle;

import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.spi.JobEnding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Outcomes that the database did not take as a part of a batch. Each is written alone: again and again while somebody
 * holds its job locked, and as an attempt that threw if the database refuses it. Written by one thread, read by others.
 */
final class PostponedOutcomes {

    private static final Logger log = LoggerFactory.getLogger(PostponedOutcomes.class);

    /** How often an outcome is written in vain before its job is left to be rescued. */
    private static final int MOST_TRIES = 3;

    private final OutcomeWriter writer;
    private final Runs inFlight;
    private final Queue<Unsettled> waiting = new ConcurrentLinkedQueue<>();
    private volatile @Nullable Long since;
    private volatile String lastError = "";

    PostponedOutcomes(OutcomeWriter writer, Runs inFlight) {
        this.writer = writer;
        this.inFlight = inFlight;
    }

    int size() {
        return waiting.size();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The outcomes that cannot be written now, as long as there are some. */
    Optional<Outage.Report> report() {
        return Optional.ofNullable(since)
                .map(began -> new Outage.Report(
                        "Settling single jobs",
                        Duration.ofNanos(System.nanoTime() - began),
                        Counts.of(waiting.size(), "run") + " to settle, last error: " + lastError,
                        Outage.Answer.ERROR));
    }

    /** Whether outcomes wait, and the first of them began to wait after this time in nanoseconds. */
    boolean beganAfter(long nanos) {
        Long began = since;
        return began != null && nanos - began < 0;
    }

    /** Lets an outcome wait for its turn. */
    boolean add(Outcome outcome) {
        return waiting.add(Unsettled.of(outcome));
    }

    /**
     * Writes an outcome that is not among these.
     *
     * @return {@code false} if it was postponed
     * @throws RuntimeException only if the database is away
     */
    boolean settle(Outcome outcome) {
        int before = waiting.size();
        settle(Unsettled.of(outcome));
        return waiting.size() == before;
    }

    /** Whether the next one should be written now. */
    boolean isNextDue(boolean inAHurry) {
        return inAHurry || waiting.element().isDue();
    }

    /** Puts the next one behind the others. */
    void skip() {
        waiting.add(waiting.remove());
    }

    /** Writes the next one. It leaves when it is written, or waits once more behind the others. */
    void settleNext() {
        settle(waiting.element());
        waiting.remove();
        if (waiting.isEmpty()) {
            since = null;
        }
    }

    private void settle(Unsettled one) {
        try {
            writer.write(new ArrayList<>(List.of(one.outcome())));
        } catch (Throwable ex) {
            if (DatabaseErrors.isAway(ex)) {
                throw ex;
            }
            if (DatabaseErrors.isBusy(ex) || (ex instanceof VirtualMachineError && one.tries() < MOST_TRIES)) {
                postpone(one, ex);
            } else if (one.mayFail()) {
                settle(one.failed(ex));
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
        lastError = line;
        since = since == null ? System.nanoTime() : since;
        waiting.add(one.later());
    }

    /** The heartbeat names the job no longer, so that it goes back to its queue. */
    private void letGo(Run job, Throwable reason) {
        job.settled(JobEnding.LEASE_LOST);
        inFlight.remove(job);
        log.error(
                "Job {} ('{}') cannot be settled, so that it will run again: {}",
                job.id(),
                job.type(),
                Errors.reason(reason));
    }
}
