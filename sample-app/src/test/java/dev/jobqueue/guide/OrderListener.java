package dev.jobqueue.guide;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.guide.Forwarding.OrderPlaced;
import java.util.UUID;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.messaging.handler.annotation.Header;

/** No bean: the tests of the guide have no Kafka. */
class OrderListener {

    private final JobPublisher jobs;

    OrderListener(JobPublisher jobs) {
        this.jobs = jobs;
    }

    // snippet: forward-way-back
    @KafkaListener(topics = "orders")
    void on(OrderPlaced order, @Header("message-id") String message) {
        UUID id = UUID.nameUUIDFromBytes(("pack " + message).getBytes(UTF_8));
        jobs.publish(Job.of("order.pack", order).id(id)); // again: changes nothing
    }
    // end
}
