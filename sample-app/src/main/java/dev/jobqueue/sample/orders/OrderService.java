package dev.jobqueue.sample.orders;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import java.util.List;
import java.util.UUID;
import java.util.stream.LongStream;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Saves orders and publishes what must follow, in one transaction: both happen, or neither. */
@Service
class OrderService {

    private final JdbcClient jdbc;
    private final JobPublisher jobs;
    private final ApplicationEventPublisher events;

    OrderService(JdbcClient jdbc, JobPublisher jobs, ApplicationEventPublisher events) {
        this.jdbc = jdbc;
        this.jobs = jobs;
        this.events = events;
    }

    @Transactional
    public PlacedOrder place(NewOrder order, boolean fail) {
        long orderId = jdbc.sql("INSERT INTO orders (customer, email, total) VALUES (?, ?, ?) RETURNING id")
                .params(order.customer(), order.email(), order.total())
                .query(Long.class)
                .single();
        UUID jobId = jobs.publish(new SendInvoice(orderId, order.email()));
        jobs.publish(new ReserveStock(orderId));
        events.publishEvent(new OrderPlaced(orderId, order.customer(), order.total()));
        if (fail) {
            throw new OrderRefusedException("The order was refused on request; neither it nor its jobs exist.");
        }
        return new PlacedOrder(orderId, jobId);
    }

    /** Many jobs at once: one statement for all. */
    public int remind(int count) {
        List<Job> reminders = LongStream.rangeClosed(1, count)
                .mapToObj(number -> Job.of("order.remind", new Reminder(number)))
                .toList();
        return jobs.publishAll(reminders).size();
    }

    record PlacedOrder(long orderId, UUID jobId) {}

    record Reminder(long number) {}
}
