package dev.jobqueue.internal.extend;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobQueueException;
import dev.jobqueue.spi.JobInterceptor;
import dev.jobqueue.spi.JobInterceptor.Attempt;
import dev.jobqueue.spi.JobInterceptor.Publication;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The interceptors of this node, the first one outermost. */
public final class Interceptors {

    public static final Interceptors NONE = new Interceptors(List::of);

    private final Supplier<List<JobInterceptor>> source;
    private volatile @Nullable List<JobInterceptor> known;

    /**
     * @param source asked when the first job is published or handled: an interceptor may itself need the publisher
     */
    public Interceptors(Supplier<List<JobInterceptor>> source) {
        this.source = source;
    }

    /** Publishes the jobs with all interceptors around. */
    public List<UUID> publish(List<Job> jobs, Publication publish) {
        return publish(all(), 0, jobs, publish);
    }

    private static List<UUID> publish(List<JobInterceptor> all, int index, List<Job> jobs, Publication publish) {
        if (index == all.size()) {
            return publish.proceed(jobs);
        }
        JobInterceptor interceptor = all.get(index);
        List<UUID> ids = interceptor.publish(jobs, given -> {
            requireAsMany(interceptor, "went on with %d of %d jobs", given, jobs);
            return publish(all, index + 1, given, publish);
        });
        requireAsMany(interceptor, "returned %d ids for %d jobs", ids, jobs);
        return ids;
    }

    private static void requireAsMany(JobInterceptor interceptor, String problem, List<?> given, List<Job> jobs) {
        if (given.size() != jobs.size()) {
            throw new JobQueueException(
                    "The interceptor '%s' %s. Go on with all jobs and return their ids, or throw to refuse the jobs."
                            .formatted(interceptor.getClass().getName(), problem.formatted(given.size(), jobs.size())));
        }
    }

    /** Calls the handler with all interceptors around, on the calling thread. */
    public @Nullable Object handle(JobContext job, Attempt handler) throws Exception {
        return handle(all(), 0, job, handler);
    }

    private static @Nullable Object handle(List<JobInterceptor> all, int index, JobContext job, Attempt handler)
            throws Exception {
        return index == all.size()
                ? handler.proceed()
                : all.get(index).handle(job, () -> handle(all, index + 1, job, handler));
    }

    /** Without a lock, which would be held while beans are made: two threads may ask, and get the same answer. */
    private List<JobInterceptor> all() {
        List<JobInterceptor> all = known;
        if (all == null) {
            all = List.copyOf(source.get());
            known = all;
        }
        return all;
    }
}
