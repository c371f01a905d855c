package dev.jobqueue;

/** What publishing does when the {@link Job#uniqueKey unique key} of a job is taken by another live job of its type. */
public enum OnConflict {

    /** Nothing is published, and the other job stays as it is. The default. */
    KEEP,

    /**
     * The newest wins. Another job that waits keeps its id and takes payload, headers, queue, priority, time, timeout
     * and attempts of this one; if it was tried before, it starts anew. Another job that runs already gives up the key:
     * this job is published beside it, and the other one is not tried again if its run fails.
     */
    REPLACE,

    /**
     * Another job that waits keeps all but its time, which becomes that of this job. Another job that runs already
     * gives up the key, as with {@link #REPLACE}.
     */
    POSTPONE,

    /** Nothing of the call is published, and it throws a {@link JobExistsException}. */
    FAIL
}
