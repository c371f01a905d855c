package dev.jobqueue.internal.handle;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.internal.Interceptors;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.db.ReadCommittedTransactions;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.settle.SettleCalls;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.springframework.transaction.support.TransactionOperations;

/**
 * What handling jobs takes, as the application configures it.
 *
 * @param slots how many jobs at once, by queue
 * @param maxClaimBytes how many bytes of payloads may wait for a slot of one queue
 * @param transactions those of transactional handlers
 * @param publisher for what handlers publish
 * @param threads makes the threads of the handlers
 * @param interceptors go around each handler
 * @param events who is told that runs begin
 * @param workerId of this node, at the moment
 */
public record HandlingSetup(
        HandlerRegistry handlers,
        Map<String, Integer> slots,
        long maxClaimBytes,
        DataSource dataSource,
        Schema schema,
        TransactionOperations transactions,
        Json json,
        JobPublisher publisher,
        ThreadFactory threads,
        Interceptors interceptors,
        QueueEvents events,
        Supplier<UUID> workerId) {

    JobTools tools(Timeouts timeouts) {
        Sql apart = Sql.apart(dataSource, schema);
        ReportSender sender = new ReportSender(new ReadCommittedTransactions(dataSource), joiningReports());
        return new JobTools(new ReportCalls(apart), json, publisher, timeouts, sender, workerId);
    }

    /** Reports within the transaction of a transactional handler. */
    ReportCalls joiningReports() {
        return new ReportCalls(Sql.joining(dataSource, schema));
    }

    /** Settles within the transaction of a transactional handler. */
    SettleCalls joiningSettlements() {
        return new SettleCalls(Sql.joining(dataSource, schema));
    }
}
