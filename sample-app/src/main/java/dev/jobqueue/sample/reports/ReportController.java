package dev.jobqueue.sample.reports;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.net.URI;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ReportController {

    private final JobPublisher jobs;

    ReportController(JobPublisher jobs) {
        this.jobs = jobs;
    }

    /** Starts a report that takes about so many seconds. */
    @PostMapping("/reports")
    ResponseEntity<Map<String, UUID>> build(@RequestParam(defaultValue = "10") @Min(0) @Max(600) int seconds) {
        UUID id = jobs.publish(Job.of("report.build", new BuildReport(seconds)));
        return ResponseEntity.accepted().location(URI.create("/jobs/" + id)).body(Map.of("jobId", id));
    }
}
