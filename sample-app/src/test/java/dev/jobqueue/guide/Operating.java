package dev.jobqueue.guide;

import dev.jobqueue.JobDetails;
import dev.jobqueue.JobOperations;
import dev.jobqueue.JobState;
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
