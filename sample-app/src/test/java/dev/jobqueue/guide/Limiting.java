package dev.jobqueue.guide;

import dev.jobqueue.AtLimit;
import dev.jobqueue.FairShare;
import dev.jobqueue.Fifo;
import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobType;
import dev.jobqueue.Limit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.Rate;
import dev.jobqueue.RateLimitedException;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.LaneFigures;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@Component
class Limiting {

    final List<String> done = new CopyOnWriteArrayList<>();
    final Partner partner = new Partner();
    private final JobPublisher jobs;
    private final JobOperations operations;

    Limiting(JobPublisher jobs, JobOperations operations) {
        this.jobs = jobs;
        this.operations = operations;
    }

    // snippet: limit-running
    @JobHandler("account.sync")
    @Limit(name = "crm", key = "account", running = 2)
    @Limit(name = "crm-api", rate = "100/10s", burst = 10)
    void sync(SyncAccount sync) {
        done.add(sync.account());
    }
    // end

    // snippet: limit-429
    @JobHandler("partner.call")
    @Limit(name = "partner", running = 5)
    void call(CallPartner call) {
        Answer answer = partner.send(call.order());
        if (answer.status() == 429) {
            throw new RateLimitedException(answer.retryAfter()); // nobody calls before that
        }
    }
    // end

    // snippet: limit-fifo
    @JobHandler("ledger.book")
    @Fifo(key = "account")
    void book(Booking booking) {
        done.add(booking.account() + " " + booking.cents());
    }
    // end

    // snippet: limit-fair
    @JobHandler("tenant.mail")
    @FairShare(
            key = "tenant",
            weights = {"big=3", "*=1"})
    void mail(TenantMail mail) {
        done.add(mail.tenant());
    }
    // end

    // snippet: limit-replace
    @JobHandler("index.rebuild")
    @Limit(key = "shop", running = 1, atLimit = AtLimit.REPLACE)
    void rebuild(RebuildIndex rebuild) {
        done.add(rebuild.shop() + " " + rebuild.version());
    }
    // end

    // snippet: limit-definition
    @Bean
    static HandlerDefinition fax() {
        return HandlerDefinition.of("fax.send", String.class, (number, job) -> "sent to " + number)
                .limit(LimitDefinition.ofRunning("fax-lines", 2), null);
    }
    // end

    @JobHandler("export.run")
    void export(JobContext job) {
        done.add("exported");
    }

    UUID ofThePublisher() {
        // snippet: limit-publisher
        UUID id = jobs.publish(Job.of("export.run", "all").limit("crm", "acc-7"));
        // end
        return id;
    }

    List<LaneFigures> operate() {
        // snippet: limit-operate
        JobLimits limits = operations.limits();
        limits.set(LimitDefinition.ofRate("crm-api", Rate.of("50/10s")).burst(5));
        List<LaneFigures> lanes =
                limits.lanes("crm", JobCursor.START, 100).lanes(); // key, running, waiting, when it opens
        limits.closeLane("crm", "acc-7", Instant.now().plus(Duration.ofHours(1)));
        // end
        return lanes;
    }

    int unblock() {
        JobLimits limits = operations.limits();
        // snippet: limit-blocked
        List<LaneFigures> blocked =
                limits.blockedLanes("ledger.book", JobCursor.START, 100).lanes();
        for (LaneFigures lane : blocked) {
            limits.releaseLane(lane.limit(), lane.key()); // goes on; the dead letter stays where it is
        }
        // end
        return blocked.size();
    }

    @JobType("account.sync")
    record SyncAccount(String account) {}

    @JobType("partner.call")
    record CallPartner(long order) {}

    @JobType("ledger.book")
    record Booking(String account, int cents) {}

    @JobType("tenant.mail")
    record TenantMail(String tenant, String text) {}

    @JobType("index.rebuild")
    record RebuildIndex(String shop, int version) {}

    record Answer(int status, Duration retryAfter) {}

    /** Refuses the first call. */
    static final class Partner {

        final AtomicBoolean refused = new AtomicBoolean();

        Answer send(long order) {
            return refused.compareAndSet(false, true)
                    ? new Answer(429, Duration.ofMinutes(1))
                    : new Answer(200, Duration.ZERO);
        }
    }
}
