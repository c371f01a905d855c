package dev.jobqueue.sample.orders;

import dev.jobqueue.JobPublisher;
import org.springframework.context.annotation.Profile;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/** Forwards orders to Kafka, in the transaction that places them. */
@Component
@Profile("kafka")
class OrderFeed {

    private final JobPublisher jobs;

    OrderFeed(JobPublisher jobs) {
        this.jobs = jobs;
    }

    @EventListener
    void on(OrderPlaced event) {
        jobs.publish(event);
    }
}
