package dev.jobqueue.test;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.AbstractAssert;
import org.jspecify.annotations.Nullable;

/**
 * Assertions about the jobs that a test can see: {@code assertThat(jobs)} with AssertJ's own {@code assertThat}. A
 * failure lists the jobs that are there.
 */
public final class JobsAssert extends AbstractAssert<JobsAssert, JobTester> {

    JobsAssert(JobTester jobs) {
        super(jobs, JobsAssert.class);
    }

    /**
     * Verifies that jobs of the type were published, whatever became of them.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert published(String type) {
        return select("published", type, null);
    }

    /**
     * Verifies that jobs of the type are due and wait for a worker.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert pending(String type) {
        return select("pending", type, JobState.PENDING);
    }

    /**
     * Verifies that jobs of the type wait for their time: delayed, snoozed, or backing off.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert scheduled(String type) {
        return select("scheduled", type, JobState.SCHEDULED);
    }

    /**
     * Verifies that jobs of the type are due, and wait until their limits let them start.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert waiting(String type) {
        return select("waiting", type, JobState.WAITING);
    }

    /**
     * Verifies that jobs of the type were completed.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert completed(String type) {
        return select("completed", type, JobState.COMPLETED);
    }

    /**
     * Verifies that jobs of the type are dead.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert dead(String type) {
        return select("dead", type, JobState.DEAD);
    }

    /**
     * Verifies that jobs of the type were cancelled.
     *
     * @param type the type
     * @return assertions about these
     */
    public JobSelectionAssert cancelled(String type) {
        return select("cancelled", type, JobState.CANCELLED);
    }

    /**
     * Verifies that there are no jobs.
     *
     * @return this
     */
    public JobsAssert nothingPublished() {
        List<JobDetails> all = actual.publishedJobs();
        if (!all.isEmpty()) {
            failWithMessage("%s", "Expected no jobs" + list(all).contrary());
        }
        return this;
    }

    /**
     * Verifies that there are no jobs of the type.
     *
     * @param type the type
     * @return this
     */
    public JobsAssert nothingPublished(String type) {
        List<JobDetails> all = actual.publishedJobs();
        if (all.stream().anyMatch(job -> job.type().equals(type))) {
            failWithMessage(
                    "%s", "Expected no jobs of type '" + type + "'" + list(all).contrary());
        }
        return this;
    }

    /**
     * Verifies that the handlers of today can read payloads that were stored before. The folder on the class path has
     * files {@code <type>.json} and {@code <type>/<any name>.json}, each with the payload of one job as it was stored
     * once. It is read, and no field of it may be lost: a field that was renamed would be null from now on.
     *
     * @param folder the folder, for example {@code payloads}
     * @param givenUp fields that no handler needs any more, for example {@code invoice.send.fax}
     * @return this
     */
    public JobsAssert readsPayloadsIn(String folder, String... givenUp) {
        String problems = new StoredPayloads(actual.worker(), folder, Set.of(givenUp)).problems();
        if (problems != null) {
            failWithMessage("%s", problems);
        }
        return this;
    }

    private JobSelectionAssert select(String what, String type, @Nullable JobState state) {
        List<JobDetails> all = actual.publishedJobs();
        return new JobSelectionAssert(
                list(all),
                all.stream()
                        .filter(job -> job.type().equals(type) && (state == null || job.state() == state))
                        .toList(),
                "a job of type '%s' %s".formatted(type, what),
                info.description());
    }

    private JobList list(List<JobDetails> jobs) {
        return new JobList(jobs, actual.worker());
    }
}
