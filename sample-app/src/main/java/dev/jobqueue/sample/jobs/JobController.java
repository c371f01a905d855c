package dev.jobqueue.sample.jobs;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobDetails.JobError;
import dev.jobqueue.operate.JobOperations;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/jobs/{id}")
class JobController {

    private final JobOperations operations;

    JobController(JobOperations operations) {
        this.operations = operations;
    }

    @GetMapping
    JobView show(@PathVariable UUID id) {
        return JobView.of(find(id));
    }

    /** Cancels a job that waits at once, and asks the worker of one that runs to stop. */
    @DeleteMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, JobState> cancel(@PathVariable UUID id) {
        JobState state = operations.cancel(id);
        if (state == JobState.COMPLETED || state == JobState.DEAD) {
            throw problem(HttpStatus.CONFLICT, "The job has ended already: it is %s".formatted(state));
        }
        return Map.of("state", state);
    }

    private JobDetails find(UUID id) {
        return operations.find(id).orElseThrow(() -> new JobNotFoundException("There is no job '%s'".formatted(id)));
    }

    @ExceptionHandler
    ProblemDetail unknown(JobNotFoundException ex) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, String.valueOf(ex.getMessage()));
    }

    private static ErrorResponseException problem(HttpStatus status, String detail) {
        return new ErrorResponseException(status, ProblemDetail.forStatusAndDetail(status, detail), null);
    }

    /** What a customer may see of a job: no payload, no stack traces. */
    record JobView(
            UUID id,
            String type,
            JobState state,
            int attempt,
            int maxAttempts,
            @Nullable Integer progress,
            @Nullable String stage,
            @JsonRawValue @Nullable String result,
            List<Failure> errors) {

        static JobView of(JobDetails job) {
            return new JobView(
                    job.id(),
                    job.type(),
                    job.state(),
                    job.attempt(),
                    job.maxAttempts(),
                    job.percent(),
                    job.stage(),
                    job.result(),
                    job.errors().stream().map(Failure::of).toList());
        }
    }

    record Failure(int attempt, Instant at, String message) {

        /** The message alone: the class before it and the stack below it are for operators. */
        static Failure of(JobError error) {
            String line = error.error().lines().findFirst().orElse("");
            return new Failure(error.attempt(), error.at(), line.replaceFirst("^[\\w.$]+: ", ""));
        }
    }
}
