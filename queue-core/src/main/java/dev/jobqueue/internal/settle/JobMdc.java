package dev.jobqueue.internal.settle;

import org.slf4j.MDC;

/** Names the job in every line that is logged on its handler's thread. */
public final class JobMdc {

    static final String ID = "jobId";
    static final String TYPE = "jobType";
    static final String QUEUE = "jobQueue";
    static final String ATTEMPT = "jobAttempt";

    /** Tells the runs of one job apart, also those of a worker that was declared dead and goes on for a while. */
    static final String LEASE = "jobLease";

    private JobMdc() {}

    public static void put(Run job) {
        MDC.put(ID, job.id().toString());
        MDC.put(TYPE, job.type());
        MDC.put(QUEUE, job.queue());
        MDC.put(ATTEMPT, Integer.toString(job.attempt()));
        MDC.put(LEASE, Long.toString(job.lease().number()));
    }

    public static void clear() {
        MDC.remove(ID);
        MDC.remove(TYPE);
        MDC.remove(QUEUE);
        MDC.remove(ATTEMPT);
        MDC.remove(LEASE);
    }
}
