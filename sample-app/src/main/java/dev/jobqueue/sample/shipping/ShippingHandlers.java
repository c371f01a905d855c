package dev.jobqueue.sample.shipping;

import dev.jobqueue.From;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobType;
import dev.jobqueue.PermanentJobException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** The steps of an order, each a handler like any other, and the mails of a newsletter. */
@Component
class ShippingHandlers {

    private static final Logger log = LoggerFactory.getLogger(ShippingHandlers.class);

    @JobHandler("order.pay")
    Receipt pay(Order order) {
        return new Receipt("R" + order.number(), 4200);
    }

    @JobHandler("order.pack")
    void pack(Order order) {
        if (order.fail()) {
            throw new PermanentJobException("Out of stock");
        }
    }

    @JobHandler
    String label(Item item) {
        return "%s of order %d".formatted(item.name(), item.order());
    }

    /** Gets what earlier steps returned. */
    @JobHandler("order.mail")
    String mail(Order order, @From("pay") Receipt receipt, @From("label") List<String> labels) {
        return "Order %d, receipt %s, parcels %s".formatted(order.number(), receipt.number(), labels);
    }

    @JobHandler("order.refund")
    void refund(Order order, @From("pay") Receipt receipt) {
        log.info("Order {} failed: {} cents paid back", order.number(), receipt.cents());
    }

    @JobHandler("newsletter.mail")
    void send(Issue issue) {
        log.debug("Issue {} to reader {}", issue.number(), issue.readers());
    }

    @JobHandler("newsletter.report")
    void report(Issue issue) {
        log.info("Newsletter {} went to {} readers", issue.number(), issue.readers());
    }

    /**
     * An order.
     *
     * @param fail whether it cannot be packed
     */
    record Order(long number, boolean fail) {}

    @JobType("order.label")
    record Item(long order, String name) {}

    record Receipt(String number, int cents) {}

    record Issue(long number, int readers) {}
}
