package dev.jobqueue.guide;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobqueue.Job;
import dev.jobqueue.JobExistsException;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.OnConflict;
import dev.jobqueue.PublishResult;
import dev.jobqueue.guide.Payloads.BuildReport;
import dev.jobqueue.guide.Payloads.SyncCustomer;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class Publishing {

    private static final Logger log = LoggerFactory.getLogger(Publishing.class);

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

    List<UUID> throttled() {
        // snippet: unique-for
        Job sync = Job.of(new SyncCustomer(8)).uniqueKey("customer 8").uniqueFor(Duration.ofHours(1));
        UUID first = jobs.publish(sync);
        UUID second = jobs.publish(sync); // within the hour: the same id, also when that job has ended
        // end
        return List.of(first, second);
    }

    List<UUID> replaced() {
        // snippet: replace
        Duration hour = Duration.ofHours(1);
        UUID first = jobs.publish(Job.of(new SendInvoice(7, "old@example.org"))
                .uniqueKey("order 7")
                .delay(hour));
        UUID same = jobs.publish(Job.of(new SendInvoice(7, "new@example.org")) // one mail, to the new address
                .uniqueKey("order 7")
                .delay(hour)
                .onConflict(OnConflict.REPLACE));
        // end
        return List.of(first, same);
    }

    UUID refused() {
        jobs.publish(Job.of(new BuildReport(2026, 9)).uniqueKey("september").delay(Duration.ofHours(1)));
        // snippet: on-conflict-fail
        try {
            return jobs.publish(
                    Job.of(new BuildReport(2026, 9)).uniqueKey("september").onConflict(OnConflict.FAIL));
        } catch (JobExistsException ex) {
            return ex.jobId(); // nothing was published: this job has the key
        }
        // end
    }

    List<UUID> debounced() {
        // snippet: debounce
        Job sync = Job.of(new SyncCustomer(9)).debounce("customer 9", Duration.ofSeconds(5), Duration.ofMinutes(1));
        UUID first = jobs.publish(sync);
        UUID second = jobs.publish(sync); // one run, 5 seconds after the last change, at most a minute after the first
        // end
        return List.of(first, second);
    }

    PublishResult told() {
        // snippet: outcome
        PublishResult result =
                jobs.publishWithOutcome(Job.of(new SyncCustomer(10)).uniqueKey("customer 10"));
        if (!result.isNew()) {
            log.info("Customer 10 is synchronised by job {} already", result.id());
        }
        // end
        return result;
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
