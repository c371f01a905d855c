package dev.jobqueue;

import java.util.UUID;

/**
 * What became of a job that was to be published.
 *
 * @param id the id of the job that there is now; not that of the job to publish if another one has its unique key
 * @param outcome what happened
 */
public record PublishResult(UUID id, Outcome outcome) {

    /**
     * Tell whether a job was added.
     *
     * @return whether it is {@link Outcome#NEW}
     */
    public boolean isNew() {
        return outcome == Outcome.NEW;
    }

    /** What publishing a job did. */
    public enum Outcome {

        /** The job was added. */
        NEW,

        /** Nothing was added: another job has the unique key, or the given id was used before. */
        EXISTING,

        /** Nothing was added: another job that waited has taken over what this job carries. */
        REPLACED
    }
}
