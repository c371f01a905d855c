package dev.jobqueue.guide;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.stereotype.Component;

/** The world outside, as far as the examples need one. */
@Component
class Outside {

    final List<String> mails = new CopyOnWriteArrayList<>();
    final AtomicInteger counted = new AtomicInteger();
    final AtomicInteger written = new AtomicInteger();
    final AtomicInteger looked = new AtomicInteger();
    final List<Integer> pages = new CopyOnWriteArrayList<>();

    Receipt mail(String to, String text) {
        mails.add(to + ": " + text);
        return new Receipt(to, text.length());
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

    void importPage(int page) {
        pages.add(page);
    }

    record Receipt(String to, int length) {}
}
