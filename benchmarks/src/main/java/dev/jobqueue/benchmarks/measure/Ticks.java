package dev.jobqueue.benchmarks.measure;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;

/** How late the handlers of a schedule began. Clients and server are on one machine, so there is one clock. */
public final class Ticks {

    private static final ConcurrentLinkedQueue<Double> LAGS = new ConcurrentLinkedQueue<>();

    private Ticks() {}

    /** The first line of the handler. */
    public static void handle(Instant due) {
        LAGS.add(Duration.between(due, Instant.now()).toNanos() / 1e6);
    }

    /** In milliseconds, in order of size, since the last call. */
    public static List<Double> take() {
        List<Double> taken = new ArrayList<>();
        for (Double lag = LAGS.poll(); lag != null; lag = LAGS.poll()) {
            taken.add(lag);
        }
        taken.sort(null);
        return taken;
    }
}
