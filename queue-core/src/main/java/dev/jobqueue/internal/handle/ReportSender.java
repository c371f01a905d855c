package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.Threads;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.support.TransactionOperations;

/** Sends the reports of transactional handlers while these run, on one thread and one connection for the whole node. */
final class ReportSender implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(ReportSender.class);

    private final TransactionOperations transactions;
    private final ReportCalls joining;
    private final ThreadPoolExecutor thread;

    /**
     * @param transactions short ones of the queue's own
     * @param joining takes part in them
     */
    ReportSender(TransactionOperations transactions, ReportCalls joining) {
        this.transactions = transactions;
        this.joining = joining;
        this.thread = new ThreadPoolExecutor(
                1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Threads.daemon("queue-reports"));
        this.thread.allowCoreThreadTimeOut(true);
        this.thread.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    /** Sends soon what the job reported. */
    void send(RunningJob job, Reports reports) {
        thread.execute(() -> sendNow(job, reports));
    }

    /** For a thread that holds no connection. */
    void sendNow(RunningJob job, Reports reports) {
        try {
            transactions.executeWithoutResult(status -> reports.send(joining));
        } catch (RuntimeException ex) {
            // the handler goes on: what it reports is for people who watch
            log.debug("A report of job {} ('{}') was not stored: {}", job.id(), job.type(), ex.toString());
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
