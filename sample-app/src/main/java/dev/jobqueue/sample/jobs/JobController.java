package dev.jobqueue.sample.jobs;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.jobqueue.JobDetails;
import dev.jobqueue.JobDetails.JobError;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobOperations;
import dev.jobqueue.JobState;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
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
        return operations
                .find(id)
                .map(JobView::of)
                .orElseThrow(() -> new JobNotFoundException("There is no job '%s'".formatted(id)));
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, JobState> cancel(@PathVariable UUID id) {
        return Map.of("state", operations.cancel(id));
    }

    @ExceptionHandler
    ProblemDetail notFound(JobNotFoundException ex) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, String.valueOf(ex.getMessage()));
    }

    /** What a customer may see of a job. */
    record JobView(
            UUID id,
            String type,
            JobState state,
            int attempt,
            int maxAttempts,
            @Nullable Integer progress,
            @Nullable String stage,
            @JsonRawValue @Nullable String result,
            List<JobError> errors) {

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
                    job.errors());
        }
    }
}
