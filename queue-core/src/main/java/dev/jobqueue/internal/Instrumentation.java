package dev.jobqueue.internal;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** What goes around publishing and handling, such as a trace that one carries to the other in the headers. */
public interface Instrumentation {

    /** Nothing goes around. */
    Instrumentation NONE = new Instrumentation() {};

    /** The job as it should be published, perhaps with more headers. */
    default Job publishing(Job job) {
        return job;
    }

    /** Runs the handler of the job on the calling thread. */
    default @Nullable Object handling(JobContext job, Callable<@Nullable Object> handler) throws Exception {
        return handler.call();
    }
}
