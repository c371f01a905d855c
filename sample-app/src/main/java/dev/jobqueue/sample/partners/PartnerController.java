package dev.jobqueue.sample.partners;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PartnerController {

    private static final String ACCOUNT = "\\w{1,40}";

    private final JobPublisher jobs;
    private final JdbcClient jdbc;

    PartnerController(JobPublisher jobs, JdbcClient jdbc) {
        this.jobs = jobs;
        this.jdbc = jdbc;
    }

    @PostMapping("/contacts/sync")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, Integer> sync(@RequestParam @Min(1) @Max(1_000) int count) {
        return Map.of("count", publish(count, SyncContact::new).size());
    }

    @PostMapping("/accounts/{account}/bookings")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, Integer> book(
            @PathVariable @Pattern(regexp = ACCOUNT) String account, @RequestParam @Min(1) @Max(1_000) int count) {
        return Map.of(
                "count", publish(count, amount -> new Booking(account, amount)).size());
    }

    /** In the order in which they were booked. */
    @GetMapping("/accounts/{account}/bookings")
    List<Integer> bookings(@PathVariable @Pattern(regexp = ACCOUNT) String account) {
        return jdbc.sql("SELECT amount FROM booking WHERE account = ? ORDER BY id DESC LIMIT 100")
                .param(account)
                .query(Integer.class)
                .list();
    }

    /** Many mails of one tenant, and behind them one of another; the answer has the id of that one. */
    @PostMapping("/mails")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, Object> mail(@RequestParam @Min(1) @Max(100_000) int count) {
        publish(count, number -> new Mail("large", number));
        UUID small = jobs.publish(new Mail("small", 1));
        return Map.of("count", count, "jobId", small);
    }

    private List<UUID> publish(int count, IntFunction<Object> payload) {
        return jobs.publishAll(
                IntStream.rangeClosed(1, count).mapToObj(payload).map(Job::of).toList());
    }
}
