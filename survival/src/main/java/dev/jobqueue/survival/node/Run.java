package dev.jobqueue.survival.node;

import dev.jobqueue.JobContext;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.survival.ledger.Ledger;
import dev.jobqueue.survival.ledger.Verb;
import org.slf4j.MDC;

/** One run of a handler, as it stands in the ledger. */
final class Run implements AutoCloseable {

    private final Ledger ledger;
    private final JobContext job;
    private final long lease;

    private Run(Ledger ledger, JobContext job) {
        this.ledger = ledger;
        this.job = job;
        this.lease = Long.parseLong(MDC.get("jobLease"));
    }

    static Run begin(Ledger ledger, JobContext job) {
        Run run = new Run(ledger, job);
        run.write(System.nanoTime(), Verb.STARTED);
        return run;
    }

    /** Tells the queue something under the lease of this run, and the ledger how the queue took it. */
    void call() {
        long before = System.nanoTime();
        try {
            job.progress(100, "at its end");
            write(before, Verb.ACCEPTED);
        } catch (LeaseLostException ex) {
            write(before, Verb.REFUSED);
            throw ex;
        } catch (RuntimeException ex) {
            if (!Thread.interrupted()) {
                throw ex;
            }
            // told to let go in the middle of it: a zombie does not
            call();
        }
    }

    void finished() {
        write(System.nanoTime(), Verb.FINISHED);
    }

    @Override
    public void close() {
        write(System.nanoTime(), Verb.LEFT);
    }

    private void write(long nanos, Verb verb) {
        ledger.write(nanos, verb, job.id(), lease, job.attempt(), job.type());
    }
}
