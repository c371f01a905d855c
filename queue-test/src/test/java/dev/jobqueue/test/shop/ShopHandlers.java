package dev.jobqueue.test.shop;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.schedule.JobSchedule;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

@Component
public class ShopHandlers {

    private final Orders orders;
    private final Mailer mailer;
    private final JdbcClient jdbc;

    ShopHandlers(Orders orders, Mailer mailer, JdbcClient jdbc) {
        this.orders = orders;
        this.mailer = mailer;
        this.jdbc = jdbc;
    }

    @JobHandler
    String send(SendInvoice invoice, JobContext job) throws Exception {
        orders.mark(invoice.orderId(), "INVOICED");
        String text = job.step("render", String.class, () -> "Invoice " + invoice.orderId() + "." + job.attempt());
        job.progress(50, "mailing");
        mailer.send(invoice.email());
        return text;
    }

    @JobHandler(queue = "reminders")
    void remind(RemindOrder order) {
        mailer.send("reminder of " + order.orderId());
    }

    @JobHandler(value = "stock.reserve", transactional = true, maxAttempts = 2, backoff = "10s")
    void reserve(Long orderId, JobContext job) {
        orders.mark(orderId, "RESERVED");
        job.publish(Job.of("order.shipped", orderId));
        mailer.send("stock");
    }

    @JobHandler(value = "stock.count", transactional = true, maxAttempts = 2, backoff = "10s")
    String count(Long orderId, JobContext job) throws Exception {
        String counted = job.step("count", String.class, () -> "counted by attempt " + job.attempt());
        mailer.send("stock");
        return counted;
    }

    @JobHandler(value = "order.shipped")
    void shipped(Long orderId) {}

    @JobHandler(value = "order.broken", maxAttempts = 2, backoff = "10s")
    void broken(Long orderId, JobContext job) throws Exception {
        job.step("before", String.class, () -> "attempt " + job.attempt());
        if (job.attempt() == 1) {
            jdbc.sql("INSERT INTO orders (email, state) SELECT email, state FROM orders")
                    .update();
        }
        mailer.send(job.step("before", String.class, () -> "again"));
    }

    @JobHandler(value = "order.service", maxAttempts = 2, backoff = "10s")
    void service(Long orderId, JobContext job) {
        if (job.attempt() == 1) {
            orders.markAndFail(orderId);
        }
    }

    @JobHandler("order.loop")
    void loop(Long orderId, JobContext job) {
        job.publish(Job.of("order.loop", orderId));
    }

    @JobHandler(value = "order.slow", timeout = "5m", maxAttempts = 2)
    void slow(Long orderId) {
        mailer.send("slow");
    }

    @JobSchedule(cron = "30 2 * * *", zone = "Europe/Berlin")
    @JobHandler("orders.tidy")
    void tidy(JobContext job) {
        mailer.send("tidy " + job.scheduledFor());
    }
}
