package dev.jobqueue.sample.partners;

import dev.jobqueue.FairShare;
import dev.jobqueue.Fifo;
import dev.jobqueue.JobHandler;
import dev.jobqueue.Limit;
import dev.jobqueue.RateLimitedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Limits hold over all nodes, and are kept by the database. */
@Component
class PartnerHandlers {

    /** After so many calls the partner asks us to wait, as an API does with status 429. */
    private static final int CALLS_UNTIL_PAUSE = 20;

    private static final Duration PAUSE = Duration.ofSeconds(3);

    private final JdbcClient jdbc;
    private final AtomicInteger calls = new AtomicInteger();

    PartnerHandlers(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** At most five a second. If the partner has enough nevertheless, none starts for a while; no attempt counts. */
    @JobHandler
    @Limit(name = "partner", rate = "5/s", burst = 1)
    void sync(SyncContact contact) {
        if (calls.incrementAndGet() % CALLS_UNTIL_PAUSE == 0) {
            throw new RateLimitedException(PAUSE);
        }
    }

    /** One booking of an account at a time, in the order of publishing, also when one has to be tried again. */
    @JobHandler(transactional = true)
    @Fifo(key = "account")
    void book(Booking booking) {
        jdbc.sql("INSERT INTO booking (account, amount) VALUES (?, ?)")
                .params(booking.account(), booking.amount())
                .update();
    }

    /** Tenants take turns: one mail of a small one does not wait for ten thousand of a large one. */
    @JobHandler
    @FairShare(key = "tenant")
    void mail(Mail mail) throws InterruptedException {
        Thread.sleep(5);
    }
}
