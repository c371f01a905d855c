package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.autoconfigure.forward.broker.Message;
import dev.jobqueue.spi.BundledJob;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A job and its message.
 *
 * @param job open until it has ended, here or elsewhere
 * @param message what is sent for it
 */
record Shipment(BundledJob<String> job, Message message) {

    private static final Logger log = LoggerFactory.getLogger(Shipment.class);

    @Nullable
    Long lane() {
        return job.lane();
    }

    String place() {
        return message.place();
    }

    boolean isOpen() {
        return job.isOpen();
    }

    /** Comes again after the delay, and no attempt counts. */
    void snooze(Duration delay) {
        if (isOpen()) {
            job.context().snooze(delay);
            job.complete(null);
        }
    }

    /** Only people need it, so nothing depends on whether it can be stored now. */
    void tell(String stage) {
        try {
            job.context().progress(0, stage);
        } catch (RuntimeException ex) {
            log.debug("Job {} cannot say that it is {}", message.id(), stage, ex);
        }
    }
}
