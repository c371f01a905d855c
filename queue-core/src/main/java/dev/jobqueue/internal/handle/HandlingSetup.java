package dev.jobqueue.internal.handle;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.flow.ResultCalls;
import dev.jobqueue.internal.settle.SettleCalls;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What a node needs to handle jobs.
 *
 * @param resources what the application provides for handlers
 * @param slots how many jobs run at once, by queue
 * @param maxClaimBytes how many bytes of payloads may wait for a slot of one queue
 * @param workerId the id of this node at the moment
 */
public record HandlingSetup(
        Application application,
        Resources resources,
        Map<String, Integer> slots,
        long maxClaimBytes,
        Supplier<UUID> workerId) {

    /**
     * What handlers run with.
     *
     * @param transactions the transactions of transactional handlers
     * @param publisher publishes what handlers publish through their context
     * @param threads makes the threads of the handlers
     */
    public record Resources(TransactionOperations transactions, JobPublisher publisher, ThreadFactory threads) {}

    /** The tools of the jobs that run here, with reports that are stored apart from the handler's transaction. */
    public RunningJob.Tools tools(Timeouts timeouts) {
        return tools(timeouts, new ReportCalls(database().apart()));
    }

    /** The tools of the jobs that run here, with the given calls for reports. */
    public RunningJob.Tools tools(Timeouts timeouts, ReportCalls reports) {
        ReportSender sender =
                new ReportSender(new ReadCommittedTransactions(database().dataSource()), joiningReports());
        ResultCalls results = new ResultCalls(database().joining());
        return new RunningJob.Tools(reports, application.json(), resources.publisher(), timeouts, sender, results);
    }

    /** Reports within the transaction of a transactional handler. */
    public ReportCalls joiningReports() {
        return new ReportCalls(database().joining());
    }

    /** Settles within the transaction of a transactional handler. */
    SettleCalls joiningSettlements() {
        return new SettleCalls(database().joining());
    }

    /** The error of an attempt that took too long. */
    public String timedOut() {
        return "The attempt timed out on worker " + workerId.get();
    }

    private Database database() {
        return application.database();
    }
}
