package dev.jobqueue.guide;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobType;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.schedule.JobSchedule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/** The examples of the page of recipes. */
@Component
class Recipes {

    private static final int PAGE = 1_000;

    private final JobPublisher jobs;
    private final JobOperations operations;
    private final JdbcClient jdbc;
    private final Outside outside;

    Recipes(JobPublisher jobs, JobOperations operations, JdbcClient jdbc, Outside outside) {
        this.jobs = jobs;
        this.operations = operations;
        this.jdbc = jdbc;
        this.outside = outside;
    }

    // snippet: recipe-mail
    @JobHandler(queue = "mail", maxAttempts = 10)
    void welcome(WelcomeMail mail, JobContext job) {
        outside.mailOnce(job.id(), mail.email(), "Welcome"); // the id tells the mail service of a repetition
    }
    // end

    // snippet: recipe-flaky
    @JobHandler(value = "rates.fetch", maxAttempts = 8, backoff = "10s", maxBackoff = "10m", timeout = "30s")
    void fetchRates(JobContext job) {
        Duration closed = outside.ratesAreClosedFor();
        if (!closed.isZero()) {
            job.snooze(closed); // it said when to come back: that is no failure
            return;
        }
        outside.fetchRates(); // whatever it throws is tried again, later and later
    }
    // end

    // snippet: recipe-nightly
    @JobHandler(value = "report.nightly", queue = "reports", timeout = "30m")
    @JobSchedule(cron = "30 2 * * *", zone = "Europe/Berlin")
    void report(JobContext job) throws Exception {
        long orders = job.step(
                "count",
                Long.class,
                () -> jdbc.sql("SELECT count(*) FROM orders").query(Long.class).single());
        job.step("mail", String.class, () -> {
            outside.mail("boss@example.org", "%d orders".formatted(orders));
            return "mailed";
        });
    }
    // end

    // snippet: recipe-import
    @JobHandler
    void start(ImportFile file) {
        List<Job> pages = new ArrayList<>();
        for (int from = 0; from < file.rows(); from += PAGE) {
            UUID id =
                    UUID.nameUUIDFromBytes("%s %d".formatted(file.name(), from).getBytes(UTF_8));
            pages.add(Job.of(new ImportRows(file.name(), from, PAGE)).id(id).queue("import"));
        }
        jobs.publishAll(pages); // again after a crash: pages that are there already stay as they are
    }

    @JobHandler(queue = "import", transactional = true)
    void importRows(ImportRows rows) {
        outside.importRows(rows.from(), rows.count()); // its inserts and the end of the job commit together
    }
    // end

    // snippet: recipe-webhook
    @Transactional
    public UUID requestPayment(long order) {
        outside.requestPayment(order);
        return jobs.publish(Job.of(new PaymentExpired(order)).delay(Duration.ofHours(24)));
    }

    @Transactional
    public void paymentArrived(UUID eventId, long order, UUID expiry) { // called by the controller of the webhook
        jobs.publish(Job.of(new PaymentArrived(order)).id(eventId)); // the same call twice is one job
        operations.cancel(expiry);
    }
    // end

    @JobHandler
    void handle(PaymentArrived payment) {
        outside.mail("ada@example.org", "Paid: order " + payment.order());
    }

    @JobHandler
    void handle(PaymentExpired payment) {
        outside.mail("ada@example.org", "Not paid: order " + payment.order());
    }

    @JobType("welcome.mail")
    record WelcomeMail(String email) {}

    @JobType("import.start")
    record ImportFile(String name, int rows) {}

    @JobType("import.rows")
    record ImportRows(String file, int from, int count) {}

    @JobType("payment.arrived")
    record PaymentArrived(long order) {}

    @JobType("payment.expired")
    record PaymentExpired(long order) {}
}
