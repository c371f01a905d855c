package dev.jobqueue.guide;

import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobReason;
import dev.jobqueue.operate.JobSummary;
import dev.jobqueue.operate.MatchingJobs;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.springframework.stereotype.Component;

@Component
class Operating {

    private final JobOperations operations;

    Operating(JobOperations operations) {
        this.operations = operations;
    }

    Optional<JobState> look(UUID id) {
        // snippet: find
        Optional<JobDetails> job = operations.find(id); // live, dead, or in the history
        Optional<JobState> state = job.map(JobDetails::state);
        // end
        return state;
    }

    List<JobSummary> failing() {
        // snippet: find-by-filter
        JobFilter failing =
                JobFilter.of(JobState.SCHEDULED).type("payment.collect").errorLike("%timed out%");
        List<JobSummary> found = new ArrayList<>();
        JobCursor next = JobCursor.START;
        while (next != null) {
            JobPage page = operations.find(failing, next, 100);
            found.addAll(page.jobs());
            next = page.next(); // null after the last page
        }
        // end
        return found;
    }

    String count() {
        // snippet: count
        JobCount waiting = operations.count(JobFilter.of(JobState.PENDING).queue("reports"));
        String text = "%s reports wait".formatted(waiting); // "12 reports wait", or "10,000+ reports wait"
        // end
        return text;
    }

    JobCount retryAll() {
        // snippet: act-by-filter
        MatchingJobs failing = operations.all(
                JobFilter.of(JobState.SCHEDULED).type("payment.collect").errorLike("%timed out%"));
        JobCount some = failing.dryRun().retry(); // how many it would be
        failing.retry(); // now, instead of when their backoff ends
        // end
        return some;
    }

    void change(UUID id) {
        // snippet: change-waiting
        operations.reprioritise(id, 100);
        operations.reschedule(id, Instant.now().plus(Duration.ofHours(2)));
        // end
    }

    List<String> why(UUID id) {
        // snippet: why
        List<String> reasons =
                operations.why(id).stream().map(JobReason::message).toList();
        // end
        return reasons;
    }

    long pending() {
        // snippet: figures
        long pending =
                operations.queues().stream().mapToLong(QueueFigures::pending).sum();
        List<NodeFigures> live =
                operations.nodes().stream().filter(NodeFigures::isLive).toList();
        // end
        return live.isEmpty() ? -1 : pending;
    }

    JobState cancel(UUID id) {
        // snippet: operations-cancel
        JobState state = operations.cancel(id); // CANCELLED, or RUNNING: its worker was asked to stop
        // end
        return state;
    }

    void replay(UUID id) {
        // snippet: replay
        operations.replay(id); // from the dead letter, with all its attempts before it
        // end
    }

    void pause() {
        // snippet: pause
        operations.pause("reports"); // no node claims from it; running jobs go on
        // end
    }

    void resume() {
        // snippet: resume
        operations.resume("reports");
        // end
    }
}
