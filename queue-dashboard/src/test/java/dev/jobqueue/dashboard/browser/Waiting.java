package dev.jobqueue.dashboard.browser;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** Waits for conditions outside of the browser, which has its own way. */
final class Waiting {

    private Waiting() {}

    static void until(BooleanSupplier condition) {
        Awaitility.await().atMost(Duration.ofMillis(Browsing.PATIENCE)).until(condition::getAsBoolean);
    }
}
