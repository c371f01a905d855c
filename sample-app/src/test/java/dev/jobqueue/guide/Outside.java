package dev.jobqueue.guide;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.springframework.stereotype.Component;

/** The world outside, as far as the examples need one. */
@Component
class Outside {

    final List<String> mails = new CopyOnWriteArrayList<>();
    final AtomicInteger counted = new AtomicInteger();
    final AtomicInteger written = new AtomicInteger();
    final AtomicInteger looked = new AtomicInteger();
    final AtomicInteger asked = new AtomicInteger();
    final AtomicInteger fetched = new AtomicInteger();
    final AtomicInteger rows = new AtomicInteger();
    final Set<UUID> mailIds = ConcurrentHashMap.newKeySet();
    final List<Integer> pages = new CopyOnWriteArrayList<>();

    Receipt mail(String to, String text) {
        mails.add(to + ": " + text);
        return new Receipt(to, text.length());
    }

    void mailOnce(UUID id, String to, String text) {
        if (mailIds.add(id)) {
            mail(to, text);
        }
    }

    /** Closed when asked for the first time. */
    Duration ratesAreClosedFor() {
        return asked.incrementAndGet() == 1 ? Duration.ofSeconds(5) : Duration.ZERO;
    }

    void fetchRates() {
        fetched.incrementAndGet();
    }

    void requestPayment(long order) {
        mail("bank@example.org", "Order " + order);
    }

    void collect(String account, int cents) {
        if (account.startsWith("busy")) {
            throw new IllegalStateException("The bank does not answer");
        }
    }

    boolean isAccount(String account) {
        return !account.startsWith("none");
    }

    boolean isDelivered(String parcel) {
        return looked.incrementAndGet() > 1;
    }

    long countOrders(int year, int month) {
        return counted.incrementAndGet();
    }

    /** Fails at first. */
    String writeReport(long orders) {
        if (written.incrementAndGet() == 1) {
            throw new IllegalStateException("The disk is full");
        }
        return "report of %d orders".formatted(orders);
    }

    /** Tells which products it does not take. */
    Set<Long> index(List<Long> products) {
        return products.stream().filter(product -> product < 0).collect(Collectors.toSet());
    }

    void importRows(int from, int count) {
        rows.addAndGet(count);
    }

    void importPage(int page) {
        pages.add(page);
    }

    record Receipt(String to, int length) {}
}
