package dev.jobqueue.test;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.spi.ManualWorker;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;

/** Jobs as lines that people read. */
record JobList(List<JobDetails> jobs, ManualWorker worker) {

    private static final int MOST = 50;
    private static final int LONGEST = 200;

    /** What to append to an expectation. */
    String contrary() {
        return switch (jobs.size()) {
            case 0 -> ", but there are no jobs.";
            case 1 -> ", but there is:" + lines();
            default -> ", but there are:" + lines();
        };
    }

    /** The jobs, after a sentence. */
    String listed() {
        return (jobs.size() == 1 ? "There is:" : "There are:") + lines();
    }

    private String lines() {
        StringBuilder text = new StringBuilder();
        jobs.stream().limit(MOST).forEach(job -> text.append("\n  ").append(line(job)));
        if (jobs.size() > MOST) {
            text.append("\n  and ").append(jobs.size() - MOST).append(" more");
        }
        return text.toString();
    }

    private String line(JobDetails job) {
        StringBuilder line = new StringBuilder("'%s' %s in queue '%s', attempt %d of %d, payload %s"
                .formatted(
                        job.type(),
                        job.state(),
                        job.queue(),
                        job.attempt(),
                        job.maxAttempts(),
                        shortened(job.payload())));
        if (job.runAt().isAfter(job.createdAt())) {
            line.append(", due %s, %s after it was published"
                    .formatted(job.runAt(), Duration.between(job.createdAt(), job.runAt())));
        }
        if (job.priority() != 0) {
            line.append(", priority ").append(job.priority());
        }
        if (!job.headers().isEmpty()) {
            line.append(", headers ").append(new TreeMap<>(job.headers()));
        }
        if (job.result() != null) {
            line.append(", result ").append(shortened(job.result()));
        }
        if (!job.errors().isEmpty()) {
            String error = job.errors().get(job.errors().size() - 1).error();
            line.append(", error ").append(shortened(error.lines().findFirst().orElse("")));
        }
        return line.append(obstacle(job)).toString();
    }

    /** Why no drain handles it. */
    private String obstacle(JobDetails job) {
        if (job.state().isTerminal() || job.state() == JobState.RUNNING) {
            return "";
        }
        if (!worker.handlers().containsKey(job.type())) {
            return " (no handler of this test takes this type)";
        }
        if (!worker.queues().contains(job.queue())) {
            return " (the application does not work this queue)";
        }
        return job.state() == JobState.WAITING ? " (its limits do not let it start)" : "";
    }

    private static String shortened(String text) {
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "...";
    }
}
