package dev.jobqueue.guide;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.RetryPolicy;
import dev.jobqueue.guide.Payloads.BuildReport;
import dev.jobqueue.guide.Payloads.CollectPayment;
import dev.jobqueue.guide.Payloads.ImportCatalog;
import dev.jobqueue.guide.Payloads.IndexProduct;
import dev.jobqueue.guide.Payloads.MakeThumbnail;
import dev.jobqueue.guide.Payloads.ReserveStock;
import dev.jobqueue.guide.Payloads.SendNewsletter;
import dev.jobqueue.guide.Payloads.SyncCustomer;
import dev.jobqueue.guide.Payloads.TrackParcel;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.spi.BundledJob;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.JsonNode;

@Component
class Handlers {

    private static final Logger log = LoggerFactory.getLogger(Handlers.class);

    private final Outside outside;
    private final JdbcClient jdbc;

    Handlers(Outside outside, JdbcClient jdbc) {
        this.outside = outside;
        this.jdbc = jdbc;
    }

    // snippet: handler-parameters
    @JobHandler("cache.clear")
    void clear(Map<String, String> payload) {} // a record, a class, a Map, a JsonNode, or a String with the JSON itself

    @JobHandler
    void sync(JobContext job, SyncCustomer customer) {} // in any order; the type is that of SyncCustomer

    @JobHandler("stock.count")
    long count() { // or no parameter at all
        return jdbc.sql("SELECT count(*) FROM reservation").query(Long.class).single();
    }
    // end

    @JobHandler("tenant.show")
    @Nullable
    String showTenant() {
        return Tenant.current();
    }

    @JobHandler("json.echo")
    JsonNode echo(JsonNode payload) {
        log.debug("Echo");
        return payload;
    }

    // snippet: transactional
    @JobHandler(transactional = true)
    void reserve(ReserveStock order, JobContext job) {
        jdbc.sql("INSERT INTO reservation (order_id) VALUES (?)")
                .param(order.orderId())
                .update();
        job.publish(Job.of(new SendInvoice(order.orderId(), order.email())));
    }
    // end

    // snippet: retries
    @JobHandler(value = "payment.collect", maxAttempts = 5, backoff = "30s", backoffFactor = 3, maxBackoff = "15m")
    void collect(CollectPayment payment) {
        if (!outside.isAccount(payment.account())) {
            throw new PermanentJobException("There is no account '%s'".formatted(payment.account())); // no retry
        }
        outside.collect(payment.account(), payment.cents()); // whatever it throws is tried again
    }
    // end

    // snippet: snooze
    @JobHandler("parcel.track")
    void track(TrackParcel parcel, JobContext job) {
        if (!outside.isDelivered(parcel.number())) {
            job.snooze(Duration.ofMinutes(30)); // takes effect when the handler returns
            return;
        }
        outside.mail("ada@example.org", "Your parcel has arrived");
    }
    // end

    // snippet: steps
    @JobHandler(value = "report.build", queue = "reports")
    String build(BuildReport report, JobContext job) throws Exception {
        job.progress(0, "counting");
        long orders = job.step("count", Long.class, () -> outside.countOrders(report.year(), report.month()));
        job.progress(50, "writing");
        job.log("%d orders".formatted(orders));
        return job.step("write", String.class, () -> outside.writeReport(orders));
    }
    // end

    // snippet: extend
    @JobHandler(value = "catalog.import", timeout = "2m")
    void importAll(ImportCatalog catalog, JobContext job) {
        for (int page = 1; page <= catalog.pages(); page++) {
            job.extend(Duration.ofMinutes(2)); // two minutes for each page, not for all of them
            outside.importPage(page);
        }
    }
    // end

    // snippet: cancel
    @JobHandler("newsletter.send")
    void send(SendNewsletter newsletter, JobContext job) {
        for (int reader = 1; reader <= newsletter.readers(); reader++) {
            if (job.isCancelled()) {
                throw new CancellationException(); // returning would mean that the work is done
            }
            outside.mail("reader-%d@example.org".formatted(reader), newsletter.issue());
        }
    }
    // end

    // snippet: schedule
    @JobHandler("orders.tidy")
    @JobSchedule(cron = "0 3 * * *", zone = "Europe/Berlin")
    int tidy() {
        return jdbc.sql("DELETE FROM orders WHERE created_at < now() - interval '1 year'")
                .update();
    }
    // end

    // snippet: definition
    @Bean
    static HandlerDefinition thumbnails(Outside outside) {
        return HandlerDefinition.of(
                        "thumbnail.make",
                        MakeThumbnail.class,
                        (thumbnail, job) -> outside.mail("images@example.org", thumbnail.image()))
                .queue("images")
                .timeout(Duration.ofMinutes(1))
                .retryPolicy(new RetryPolicy(5, Duration.ofSeconds(10), 2, Duration.ofMinutes(5), 0.1));
    }
    // end

    // snippet: bundle-handler
    @Bean
    static HandlerDefinition searchIndex(Outside outside) {
        return HandlerDefinition.ofBundle("product.index", IndexProduct.class, jobs -> index(jobs, outside), 200)
                .queue("search-index");
    }

    private static void index(List<BundledJob<IndexProduct>> jobs, Outside outside) {
        Set<Long> refused = outside.index(
                jobs.stream().map(job -> job.payload().productId()).toList());
        for (BundledJob<IndexProduct> job : jobs) {
            if (refused.contains(job.payload().productId())) {
                job.fail(new PermanentJobException("The index does not take the product"));
            } else {
                job.complete(null);
            }
        }
    }
    // end
}
