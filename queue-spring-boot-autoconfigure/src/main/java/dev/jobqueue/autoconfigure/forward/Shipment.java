package dev.jobqueue.autoconfigure.forward;

import dev.jobqueue.spi.BundledJob;
import org.jspecify.annotations.Nullable;

/** A job and its message, in hand until one of them has ended. */
final class Shipment {

    private final BundledJob<String> job;
    private final Message message;
    private boolean settled;

    Shipment(BundledJob<String> job, Message message) {
        this.job = job;
        this.message = message;
    }

    Message message() {
        return message;
    }

    @Nullable
    String lane() {
        return message.lane();
    }

    /** Whether it was ended here. If not, it may have been cancelled, or be another node's by now. */
    boolean isSettled() {
        return settled;
    }

    boolean isOpen() {
        return !settled && job.isOpen();
    }

    /** Returns whether this ended the job: if not, its message may be sent once more. */
    boolean complete() {
        settled = true;
        return job.complete(null);
    }

    void fail(Throwable cause) {
        settled = true;
        job.fail(cause);
    }

    void release() {
        settled = true;
        job.release();
    }

    void tell(String stage) {
        job.context().progress(0, stage);
    }
}
