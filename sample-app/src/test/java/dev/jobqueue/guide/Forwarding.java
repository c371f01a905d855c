package dev.jobqueue.guide;

import dev.jobqueue.Forward;
import dev.jobqueue.Forwarded;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.OnDead;
import dev.jobqueue.operate.JobOperations;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
class Forwarding {

    private final JdbcClient jdbc;
    private final JobPublisher jobs;
    private final JobOperations operations;

    Forwarding(JdbcClient jdbc, JobPublisher jobs, JobOperations operations) {
        this.jdbc = jdbc;
        this.jobs = jobs;
        this.operations = operations;
    }

    // snippet: forward-kafka
    @Transactional
    public UUID ship(OrderShipped order) {
        jdbc.sql("UPDATE orders SET customer = customer WHERE id = ?")
                .param(order.orderId())
                .update();
        return jobs.publish(Forward.kafka("shipments")
                .key(order.orderId())
                .header("tenant", "berlin")
                .ordered() // among those of this order
                .body(order)); // is sent after the commit
    }
    // end

    UUID announce(OrderShipped order) {
        // snippet: forward-rabbit
        UUID id =
                jobs.publish(Forward.rabbit("shop").routingKey("order.shipped").body(order));
        // end
        return id;
    }

    UUID publish(OrderPlaced order) {
        return jobs.publish(order);
    }

    void goOnWithoutDeadLetters() {
        // snippet: forward-continue
        operations
                .limits()
                .set(LimitDefinition.ofFifo("forward.kafka").running(20).onDead(OnDead.CONTINUE));
        // end
    }

    record OrderShipped(long orderId) {}

    // snippet: forwarded
    @Forwarded(kafka = "orders", key = "orderId", ordered = true, cloudEvent = "order.placed")
    record OrderPlaced(long orderId, String customer) {}
    // end
}
