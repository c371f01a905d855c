package dev.jobqueue.survival.node;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.survival.ledger.Ledger;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;

/** Handlers that write down what they do. Attempts are plenty: here only a job that is doomed may die. */
final class Handlers {

    static final String ON_PURPOSE = "on purpose";

    private static final int PLENTY = 200;
    private static final String BACKOFF = "100ms";
    private static final String MAX_BACKOFF = "1s";

    private final Ledger ledger;
    private final JdbcTemplate jdbc;

    Handlers(Ledger ledger, JdbcTemplate jdbc) {
        this.ledger = ledger;
        this.jdbc = jdbc;
    }

    /**
     * Every other attempt makes a call at its end, come what may: a zombie's is the late call that must be refused. The
     * others return in silence, so that a zombie tries to complete what is no longer its own.
     */
    @JobHandler(value = "plain", maxAttempts = PLENTY, backoff = BACKOFF, maxBackoff = MAX_BACKOFF)
    void plain(Work work, JobContext job) throws InterruptedException {
        try (Run run = Run.begin(ledger, job)) {
            boolean interrupted = !pause(work);
            if ((work.millis() + job.attempt()) % 2 == 0) {
                run.call();
            }
            if (interrupted) {
                throw new InterruptedException();
            }
            run.finished();
        }
    }

    @JobHandler(
            value = "transactional",
            maxAttempts = PLENTY,
            backoff = BACKOFF,
            maxBackoff = MAX_BACKOFF,
            transactional = true)
    void transactional(Work work, JobContext job) throws InterruptedException {
        try (Run run = Run.begin(ledger, job)) {
            UUID child = job.publish(Job.of("child", new Work(10, true)));
            jdbc.update(
                    "INSERT INTO survival.business (job_id, attempt, child_id) VALUES (?, ?, ?)",
                    job.id(),
                    job.attempt(),
                    child);
            if (!pause(work)) {
                throw new InterruptedException();
            }
            run.finished();
        }
    }

    @JobHandler(value = "child", maxAttempts = PLENTY, backoff = BACKOFF, maxBackoff = MAX_BACKOFF)
    void child(Work work, JobContext job) throws InterruptedException {
        plain(work, job);
    }

    @JobHandler(value = "flaky", maxAttempts = PLENTY, backoff = BACKOFF, maxBackoff = MAX_BACKOFF)
    void flaky(Work work, JobContext job) throws InterruptedException {
        if (job.attempt() == 1) {
            failOnPurpose(job);
        }
        plain(work, job);
    }

    @JobHandler(value = "doomed", maxAttempts = 2, backoff = BACKOFF)
    void doomed(JobContext job) {
        failOnPurpose(job);
    }

    private void failOnPurpose(JobContext job) {
        Run.begin(ledger, job).close();
        throw new IllegalStateException(ON_PURPOSE);
    }

    /** {@code false} if it was interrupted. */
    private static boolean pause(Work work) {
        try {
            Thread.sleep(work.millis());
            return true;
        } catch (InterruptedException ex) {
            return false;
        }
    }
}
