package dev.jobqueue.guide;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.schedule.JobSchedule;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

@Component
class Scheduling {

    private final JobSchedules schedules;
    private final Outside outside;

    Scheduling(JobSchedules schedules, Outside outside) {
        this.schedules = schedules;
        this.outside = outside;
    }

    // snippet: schedule-handler
    @JobHandler("reports.nightly")
    @JobSchedule(cron = "0 3 * * *", zone = "Europe/Berlin") // or every = "10m"
    void build(JobContext job) {
        Instant due = job.scheduledFor(); // when it was due, not when it runs
        outside.mail("boss@example.org", "Report of " + due);
    }
    // end

    // snippet: schedule-definition
    @Bean
    static ScheduleDefinition weekly() {
        return ScheduleDefinition.of("weekly", "customers.cleanup")
                .every(Duration.ofDays(7))
                .payload(Map.of("olderThanDays", 365));
    }
    // end

    @JobHandler("customers.cleanup")
    int cleanUp(Map<String, Integer> payload) {
        return payload.getOrDefault("olderThanDays", 0);
    }

    @JobHandler("invoice.run")
    long run(InvoiceRun run) {
        return run.customerId();
    }

    void perCustomer(Customer customer) {
        // snippet: schedule-set
        schedules.set(ScheduleDefinition.of("invoice-" + customer.id(), "invoice.run")
                .payload(new InvoiceRun(customer.id()))
                .cron("0 6 1 * *")
                .zone(customer.zone()));
        // end
    }

    UUID operate() {
        // snippet: schedule-operate
        schedules.pause("invoice-7");
        schedules.resume("invoice-7");
        UUID id = schedules.runNow("invoice-7");
        schedules.delete("invoice-7");
        // end
        return id;
    }

    record Customer(long id, String zone) {}

    record InvoiceRun(long customerId) {}
}
