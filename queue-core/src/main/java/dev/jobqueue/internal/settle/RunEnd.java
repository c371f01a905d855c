package dev.jobqueue.internal.settle;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Errors;
import dev.jobqueue.spi.JobEnding;
import dev.jobqueue.spi.JobEvent;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How a run ended, as the database said.
 *
 * @param error what the attempt threw; {@code null} if it did not
 * @param nextAttemptAt when the next attempt is due; {@code null} if the attempt did not throw, or was the last
 */
public record RunEnd(
        Run job,
        JobEnding ending,
        @Nullable String error,
        @Nullable Instant nextAttemptAt) {

    static RunEnd of(Run job, JobEnding ending) {
        return new RunEnd(job, ending, null, null);
    }

    /** The end of a run that threw, by what became of the job; the state is {@code null} if the lease was lost. */
    static RunEnd ofFailure(Outcome.Threw outcome, SettleCalls.Failed answer) {
        return new RunEnd(outcome.job(), ending(answer.state()), outcome.error(), answer.runAt());
    }

    private static JobEnding ending(@Nullable JobState state) {
        if (state == null) {
            return JobEnding.LEASE_LOST;
        }
        return switch (state) {
            case DEAD -> JobEnding.DEAD;
            case CANCELLED -> JobEnding.CANCELLED;
            default -> JobEnding.RETRIED;
        };
    }

    public JobEvent.Ended event() {
        return new JobEvent.Ended(
                job.id(),
                job.type(),
                job.queue(),
                Instant.now(),
                job.attempt(),
                ending,
                job.waited(),
                job.ran(),
                error == null ? null : Errors.firstLine(error),
                nextAttemptAt);
    }
}
