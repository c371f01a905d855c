package dev.jobqueue;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The unique key of a job with {@link OnConflict#FAIL} is taken. Nothing of the call was published. A transaction that
 * the call was made in can only be rolled back, to a savepoint at least.
 */
public class JobExistsException extends JobQueueException {

    private static final long serialVersionUID = 1L;

    /** The id of the job that has the key. */
    private final UUID jobId;

    /**
     * With a message and a cause.
     *
     * @param message names the key, and the job that has it
     * @param jobId the id of the job that has the key
     * @param cause what led to it
     */
    public JobExistsException(String message, UUID jobId, @Nullable Throwable cause) {
        super(message, cause);
        this.jobId = jobId;
    }

    /** {@return the id of the job that has the key; with {@link Job#uniqueFor} it may have ended} */
    public UUID jobId() {
        return jobId;
    }
}
