package dev.jobqueue.internal.handle;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Database;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.flow.ResultCalls;
import dev.jobqueue.internal.settle.SettleCalls;
import java.time.Duration;
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

    /**
     * What a running job needs to do what its handler asks for.
     *
     * @param calls stores reports apart from the handler's transaction, so that others see them at once
     * @param reports sends the reports of transactional handlers: these hold a connection and must not wait for another
     * @param results reads the results of other steps, in the handler's transaction
     */
    public record Tools(
            ReportCalls calls,
            Json json,
            JobPublisher publisher,
            Timeouts timeouts,
            ReportSender reports,
            ResultCalls results) {}

    /** Takes part in what a handler does, for a worker that is driven by hand. */
    public interface Hooks {
        Hooks NONE = new Hooks() {};

        /** Called before the handler tells the queue something; throws to keep it from doing so. */
        default void before() {}

        /** The handler finished a step, or found it finished. */
        default void stepped(JobContext job, String step) {}

        /** The handler got more time. */
        default void extended(Duration timeout) {}
    }

    /** How long a report waits for whoever holds its job locked: the reports of other jobs wait behind it. */
    private static final Duration LOCK_WAIT = Duration.ofMillis(100);

    /** How long the last reports of a handler wait in its own transaction, as its completion does. */
    private static final Duration LAST_LOCK_WAIT = Duration.ofSeconds(2);

    /** The tools of the jobs that run here, with reports that are stored apart from the handler's transaction. */
    public Tools tools(Timeouts timeouts) {
        return tools(timeouts, new ReportCalls(database().apart()));
    }

    /** The tools of the jobs that run here, with the given calls for reports. */
    public Tools tools(Timeouts timeouts, ReportCalls reports) {
        ReportSender sender = new ReportSender(
                new ReadCommittedTransactions(database().dataSource()).waitingForLocks(LOCK_WAIT), joiningReports());
        ResultCalls results = new ResultCalls(database().joining());
        return new Tools(reports, application.json(), resources.publisher(), timeouts, sender, results);
    }

    /** Reports within the transaction of a transactional handler. */
    public ReportCalls joiningReports() {
        return new ReportCalls(database().joining());
    }

    /** The last reports of a transactional handler, within its transaction and right before it is settled. */
    ReportCalls lastReports() {
        return new ReportCalls(database().joining().waitingForLocks(LAST_LOCK_WAIT));
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
