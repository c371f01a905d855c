package dev.jobqueue.test.shop;

import dev.jobqueue.JobHandler;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.DefaultTransactionDefinition;

/** Begins a transaction and does not end it. */
@Component
public class OpenHandlers {

    private final PlatformTransactionManager transactions;
    private final Orders orders;

    OpenHandlers(PlatformTransactionManager transactions, Orders orders) {
        this.transactions = transactions;
        this.orders = orders;
    }

    @JobHandler("order.open")
    void leaveOpen(Long orderId) {
        orders.mark(orderId, "OPENED");
        transactions.getTransaction(new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW));
        orders.place("nobody@example.org");
    }

    @JobHandler(value = "order.open.transactional", transactional = true)
    void leaveOpenInTransaction(Long orderId) {
        leaveOpen(orderId);
    }
}
