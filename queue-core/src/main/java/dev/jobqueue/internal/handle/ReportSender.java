package dev.jobqueue.internal.handle;

import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.Threads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/** Sends the reports of transactional handlers while these run, on one thread and one connection for the whole node. */
public final class ReportSender implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReportSender.class);

    /** The pause before reports that could not be sent are sent again. */
    private static final Duration PAUSE = Duration.ofMillis(500);

    private final TransactionOperations transactions;
    private final ReportCalls joining;
    private final ScheduledThreadPoolExecutor thread;

    /**
     * @param transactions short ones of the queue's own
     * @param joining takes part in them
     */
    ReportSender(TransactionOperations transactions, ReportCalls joining) {
        this.transactions = transactions;
        this.joining = joining;
        this.thread = new ScheduledThreadPoolExecutor(
                1, Threads.daemon("queue-reports"), new ThreadPoolExecutor.DiscardPolicy());
    }

    /**
     * Whether reports may be sent while the calling handler runs. They change the row of its job, which a transaction
     * that does not see the change could not complete any more.
     */
    boolean sendsMeanwhile() {
        return joining.seesCommits();
    }

    /** Refuses to give a job more time that could not be completed then. */
    void requireSendingMeanwhile(RunningJob job) {
        if (!sendsMeanwhile()) {
            throw new JobQueueException(
                    ("Job %s ('%s') gets no more time: its transaction does not see what is committed"
                                    + " meanwhile, so that it could not complete the job. Let the transactions of its"
                                    + " handler be READ COMMITTED, or give the type a longer timeout.")
                            .formatted(job.id(), job.type()));
        }
    }

    /** Sends soon what the job reported. */
    void send(RunningJob job, Reports reports) {
        thread.execute(() -> sendNow(job, reports));
    }

    /** For a thread that holds no connection. The handler goes on, whatever becomes of its reports. */
    void sendNow(RunningJob job, Reports reports) {
        boolean oneWasRefused = true;
        while (oneWasRefused) {
            List<Consumer<ReportCalls>> sent = new ArrayList<>();
            try {
                transactions.executeWithoutResult(status -> reports.send(joining, sent));
                oneWasRefused = false;
            } catch (LeaseLostException | JobNotFoundException ex) {
                // what the job reports does not count any more
                reports.clear();
                oneWasRefused = false;
            } catch (RuntimeException ex) {
                log.debug("A report of job {} ('{}') was not stored: {}", job.id(), job.type(), ex.toString());
                oneWasRefused = !sent.isEmpty() && !DatabaseErrors.isAway(ex) && !DatabaseErrors.isBusy(ex);
                if (oneWasRefused) {
                    sent.remove(sent.size() - 1);
                }
                reports.keep(sent);
                if (!oneWasRefused) {
                    sendLater(job, reports);
                }
            }
        }
    }

    /** While the handler runs: an extension of its timeout must arrive, also if it reports nothing more. */
    private void sendLater(RunningJob job, Reports reports) {
        var unused = thread.schedule(
                () -> {
                    if (job.thread() != null && !reports.isEmpty()) {
                        sendNow(job, reports);
                    }
                },
                PAUSE.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** The JSON as the database stores it, over the connection of the handler's own transaction. */
    String asStored(String json) {
        return joining.asStored(json);
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
