package dev.jobqueue.internal.operate;

import dev.jobqueue.operate.AuditAction;
import dev.jobqueue.operate.AuditEntry;
import dev.jobqueue.operate.JobAudit;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionOperations;

/** Keeps what people did in the queue's own schema. */
public final class QueueAudit implements JobAudit {

    private final AuditCalls calls;
    private final TransactionOperations transactions;

    /**
     * @param transactions on the database of the queue
     */
    public QueueAudit(AuditCalls calls, TransactionOperations transactions) {
        this.calls = calls;
        this.transactions = transactions;
    }

    @Override
    public <T> T together(Supplier<T> work) {
        Objects.requireNonNull(work, "work");
        return Objects.requireNonNull(transactions.execute(status -> work.get()));
    }

    @Override
    public long record(AuditAction action) {
        return calls.record(Objects.requireNonNull(action, "action"));
    }

    @Override
    public void add(long id, long jobs) {
        calls.add(id, jobs);
    }

    @Override
    public List<AuditEntry> find(@Nullable Long before, int limit) {
        return calls.find(before, limit);
    }

    @Override
    public AuditAction undo(long id, String actor) {
        return calls.undo(id, actor);
    }
}
