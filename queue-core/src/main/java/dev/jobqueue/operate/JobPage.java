package dev.jobqueue.operate;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Some of the jobs that match a filter, and where the next page begins. A page may hold fewer jobs than asked for, or
 * none, although there are more: finding it never takes long, however many jobs there are.
 *
 * @param jobs the jobs
 * @param next where the next page begins; {@code null} if this is the last
 */
public record JobPage(List<JobSummary> jobs, @Nullable JobCursor next) {

    /**
     * Keeps a copy of the list.
     *
     * @param jobs the jobs
     * @param next where the next page begins; {@code null} if this is the last
     */
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
