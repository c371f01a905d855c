package dev.jobqueue.survival.node;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.survival.ledger.Ledger;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Handlers that are bad for their node: their own jobs die, or take a while; those of others must not notice. */
final class BadHandlers {

    private static final int PLENTY = 200;
    private static final int MEBIBYTE = 1 << 20;
    private static final int KIBIBYTE = 1 << 10;

    private final Ledger ledger;

    BadHandlers(Ledger ledger) {
        this.ledger = ledger;
    }

    @JobHandler(value = "doomed.error", maxAttempts = 2, backoff = "100ms")
    void throwError(JsonNode payload) {
        switch (payload.get("kind").asInt()) {
            case 0 -> throw new OutOfMemoryError(Handlers.ON_PURPOSE);
            case 1 -> throw new StackOverflowError(Handlers.ON_PURPOSE);
            case 2 -> throw new UnspeakableException();
            default -> {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(Handlers.ON_PURPOSE);
            }
        }
    }

    @JobHandler(value = "doomed.absurd", maxAttempts = 2, backoff = "100ms")
    void askTheAbsurd(JsonNode payload, JobContext job) {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        if (payload.get("kind").asInt() == 0) {
            job.snooze(forever);
        } else {
            job.extend(forever);
        }
    }

    @JobHandler(value = "doomed.exit", maxAttempts = 1)
    void exit() {
        System.exit(4);
    }

    @JobHandler(value = "big", maxAttempts = PLENTY, backoff = "100ms", maxBackoff = "1s")
    void big(JsonNode payload, JobContext job) {
        try (Run run = Run.begin(ledger, job)) {
            run.finished();
        }
    }

    @JobHandler(value = "hungry", maxAttempts = PLENTY, backoff = "100ms", maxBackoff = "1s")
    void eat(Work work, JobContext job) {
        try (Run run = Run.begin(ledger, job)) {
            job.log("Pieces eaten: " + fillHeap(Duration.ofMillis(work.millis())));
            run.finished();
        }
    }

    /** In ever smaller pieces, until others get nothing any more. */
    private static int fillHeap(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        List<byte[]> eaten = new ArrayList<>(MEBIBYTE);
        int piece = MEBIBYTE;
        while (System.nanoTime() - end < 0) {
            try {
                eaten.add(new byte[piece]);
            } catch (OutOfMemoryError ex) {
                piece = Math.max(KIBIBYTE, piece / 2);
            }
        }
        return eaten.size();
    }

    /** Cannot tell its message. */
    private static final class UnspeakableException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        @Override
        @SuppressWarnings("InfiniteRecursion") // on purpose
        public String getMessage() {
            return getMessage() + Handlers.ON_PURPOSE;
        }
    }
}
