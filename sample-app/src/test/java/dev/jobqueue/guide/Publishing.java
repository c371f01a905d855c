package dev.jobqueue.guide;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.guide.Payloads.BuildReport;
import dev.jobqueue.guide.Payloads.SyncCustomer;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Publishing {

    private final JobPublisher jobs;
    private final JdbcClient jdbc;

    Publishing(JobPublisher jobs, JdbcClient jdbc) {
        this.jobs = jobs;
        this.jdbc = jdbc;
    }

    UUID onePayload() {
        // snippet: publish
        UUID id = jobs.publish(new SendInvoice(42, "ada@example.org"));
        // end
        return id;
    }

    UUID byType() {
        // snippet: publish-by-type
        UUID id = jobs.publish("cache.clear", Map.of("region", "prices"));
        // end
        return id;
    }

    UUID withOptions() {
        // snippet: options
        UUID id = jobs.publish(Job.of(new BuildReport(2026, 7))
                .queue("night")
                .priority(10)
                .delay(Duration.ofHours(1))
                .maxAttempts(5)
                .timeout(Duration.ofMinutes(10))
                .header("requested-by", "ada"));
        // end
        return id;
    }

    List<UUID> unique() {
        // snippet: unique
        Job sync = Job.of(new SyncCustomer(7)).uniqueKey("customer 7").delay(Duration.ofMinutes(1));
        UUID first = jobs.publish(sync);
        UUID second = jobs.publish(sync); // the same id: no second job while the first is live
        // end
        return List.of(first, second);
    }

    UUID idempotent(String orderNumber) {
        // snippet: id
        UUID id = UUID.nameUUIDFromBytes(("sync " + orderNumber).getBytes(UTF_8));
        jobs.publish(Job.of(new SyncCustomer(7)).id(id)); // again: changes nothing
        // end
        return id;
    }

    List<UUID> many(List<Long> customers) {
        // snippet: bulk
        List<Job> syncs = customers.stream()
                .map(customer -> Job.of(new SyncCustomer(customer)))
                .toList();
        List<UUID> ids = jobs.publishAll(syncs);
        // end
        return ids;
    }

    // snippet: transaction
    @Transactional
    public void place(String customer, String email, BigDecimal total) {
        long orderId = jdbc.sql("INSERT INTO orders (customer, email, total) VALUES (?, ?, ?) RETURNING id")
                .params(customer, email, total)
                .query(Long.class)
                .single();
        jobs.publish(new SendInvoice(orderId, email)); // commits or rolls back with the order
    }
    // end
}
