package dev.jobqueue.dashboard.browser;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.schedule.JobSchedule;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;

/** Handlers that fail, succeed, or wait for the test to tell them what to do next. */
final class ShopHandlers {

    private final Map<UUID, BlockingQueue<Order>> orders = new ConcurrentHashMap<>();
    private volatile boolean finished;

    record Invoice(long orderId, String email) {}

    record Receipt(String outcome, long orderId) {}

    /** What a running report does next. */
    private interface Order {

        /** {@return whether the report goes on} */
        boolean carryOut(JobContext job) throws Exception;
    }

    @JobHandler("invoice.send")
    Receipt send(Invoice invoice) {
        if (invoice.email().startsWith("fail@")) {
            throw new IllegalStateException("The mail server does not like " + invoice.email());
        }
        return new Receipt("sent", invoice.orderId());
    }

    @JobHandler("report.build")
    String build(JobContext job) throws Exception {
        BlockingQueue<Order> mine = orders(job.id());
        while (!finished && mine.take().carryOut(job)) {
            // the next order
        }
        return "built";
    }

    @JobSchedule(cron = "0 3 * * *", zone = "Europe/Berlin")
    @JobHandler("orders.tidy")
    int tidy() {
        return 7;
    }

    private BlockingQueue<Order> orders(UUID id) {
        return Objects.requireNonNull(orders.computeIfAbsent(id, each -> new LinkedBlockingQueue<>()));
    }

    void progress(UUID report, int percent, String stage) {
        orders(report).add(job -> {
            job.progress(percent, stage);
            return true;
        });
    }

    void log(UUID report, String line) {
        orders(report).add(job -> {
            job.log(line);
            return true;
        });
    }

    void step(UUID report, String name, int result) {
        orders(report).add(job -> {
            job.step(name, Integer.class, () -> result);
            return true;
        });
    }

    void finish(UUID report) {
        orders(report).add(job -> false);
    }

    void finishAll() {
        finished = true;
        orders.keySet().forEach(this::finish);
    }
}
