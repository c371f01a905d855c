package dev.jobqueue.test;

import dev.jobqueue.operate.JobDetails;
import java.util.List;

/** Jobs as lines that people read. */
final class JobList {

    private static final int MOST = 50;
    private static final int LONGEST = 200;

    private JobList() {}

    /** What to append to an expectation. */
    static String describe(List<JobDetails> jobs) {
        if (jobs.isEmpty()) {
            return ", but there are no jobs.";
        }
        StringBuilder text = new StringBuilder(jobs.size() == 1 ? ", but there is:" : ", but there are:");
        jobs.stream().limit(MOST).forEach(job -> text.append("\n  ").append(line(job)));
        if (jobs.size() > MOST) {
            text.append("\n  and ").append(jobs.size() - MOST).append(" more");
        }
        return text.toString();
    }

    private static String line(JobDetails job) {
        StringBuilder line = new StringBuilder("'%s' %s in queue '%s', attempt %d of %d, payload %s"
                .formatted(
                        job.type(),
                        job.state(),
                        job.queue(),
                        job.attempt(),
                        job.maxAttempts(),
                        shortened(job.payload())));
        if (job.runAt().isAfter(job.createdAt())) {
            line.append(", due ").append(job.runAt());
        }
        if (job.priority() != 0) {
            line.append(", priority ").append(job.priority());
        }
        if (job.result() != null) {
            line.append(", result ").append(shortened(job.result()));
        }
        if (!job.errors().isEmpty()) {
            String error = job.errors().get(job.errors().size() - 1).error();
            line.append(", error ").append(shortened(error.lines().findFirst().orElse("")));
        }
        return line.toString();
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
