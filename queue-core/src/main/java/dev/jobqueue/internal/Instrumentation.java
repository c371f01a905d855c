package dev.jobqueue.internal;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What goes around publishing and handling, such as a trace that one carries to the other in the headers. */
public interface Instrumentation {

    /** Nothing goes around. */
    Instrumentation NONE = new Instrumentation() {};

    /** Publishes the jobs, perhaps with more headers. */
    default List<UUID> publishing(List<Job> jobs, Function<List<Job>, List<UUID>> publish) {
        return publish.apply(jobs);
    }

    /** Runs the handler of the job on the calling thread. */
    default @Nullable Object handling(JobContext job, Callable<@Nullable Object> handler) throws Exception {
        return handler.call();
    }
}
