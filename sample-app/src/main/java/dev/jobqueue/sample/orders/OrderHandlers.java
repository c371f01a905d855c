package dev.jobqueue.sample.orders;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.sample.orders.OrderService.Reminder;
import dev.jobqueue.schedule.JobSchedule;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What happens after an order was placed. */
@Component
class OrderHandlers {

    private static final Logger log = LoggerFactory.getLogger(OrderHandlers.class);

    private final JdbcClient jdbc;

    OrderHandlers(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Tried again when it throws; an address that begins with {@code fail@} always does. */
    @JobHandler
    Receipt send(SendInvoice invoice, JobContext job) {
        if (invoice.email().startsWith("fail@")) {
            throw new IllegalStateException("The mail server does not like this address");
        }
        log.info("Invoice of order {} sent, attempt {}", invoice.orderId(), job.attempt());
        return new Receipt("sent", invoice.orderId());
    }

    /** In one transaction with its own completion: the row is written exactly once, whatever is killed. */
    @JobHandler(transactional = true)
    void reserve(ReserveStock order) {
        jdbc.sql("INSERT INTO reservation (order_id) VALUES (?)")
                .param(order.orderId())
                .update();
    }

    @JobHandler("order.remind")
    void remind(Reminder reminder) {
        log.debug("Reminder {}", reminder.number());
    }

    /** Every night at three in the shop's own time, once for all nodes. */
    @JobSchedule(cron = "0 3 * * *", zone = "Europe/Berlin")
    @JobHandler("orders.tidy")
    int tidy() {
        return jdbc.sql("DELETE FROM orders WHERE created_at < now() - interval '1 year'"
                        + " AND id NOT IN (SELECT order_id FROM reservation)")
                .update();
    }

    record Receipt(String outcome, long orderId) {}
}
