package dev.jobqueue.guide;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.spi.JobInterceptor;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

// snippet: interceptor
@Component
class TenantInterceptor implements JobInterceptor {

    @Override
    public List<UUID> publish(List<Job> jobs, Publication next) {
        String tenant = Tenant.current();
        return tenant == null
                ? next.proceed(jobs)
                : next.proceed(
                        jobs.stream().map(job -> job.header("tenant", tenant)).toList());
    }

    @Override
    public @Nullable Object handle(JobContext job, Attempt next) throws Exception {
        Tenant.set(job.headers().get("tenant"));
        try {
            return next.proceed();
        } finally {
            Tenant.clear(); // the next job may run on this thread
        }
    }
}
// end
