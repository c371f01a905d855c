package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.guide.Scheduling.Customer;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.Schedule;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The examples of docs/schedules.md do what that page says. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = "spring.config.additional-location=classpath:guide/schedules.yml")
@AutoConfigureJobTest
@JobDatabase
class GuideSchedulesIntegrationTests {

    @Autowired
    private Scheduling scheduling;

    @Autowired
    private JobSchedules schedules;

    @Autowired
    private JobOperations operations;

    @Autowired
    private Outside outside;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private JobTester tester;

    @AfterEach
    void deleteWhatWasCommitted() {
        schedules.delete("unreadable");
        tester.deleteAll();
    }

    @Test
    void aHandlerKnowsWhenItWasDue() {
        JobDetails job = completed(schedules.runNow("reports.nightly"));
        Instant due = Instant.parse(job.headers().get("schedule-time"));
        assertThat(outside.mails).contains("boss@example.org: Report of " + due);
    }

    @Test
    void propertiesChangeTheTimesOfOneInCode() {
        Schedule nightly = schedules.find("reports.nightly").orElseThrow();
        assertThat(nightly.cron()).isEqualTo("0 5 * * *");
        assertThat(nightly.zone()).isEqualTo("Europe/Berlin");
    }

    @Test
    void propertiesMakeOne() {
        Schedule cleanup = schedules.find("cleanup").orElseThrow();
        assertThat(cleanup.cron()).isEqualTo("@daily");
        assertThat(cleanup.zone()).isEqualTo("Europe/Berlin");
        assertThat(cleanup.type()).isEqualTo("customers.cleanup");
        assertThat(completed(schedules.runNow("cleanup")).result()).isEqualTo("90");
    }

    @Test
    void aBeanMakesOneWithAPayload() {
        assertThat(schedules.find("weekly").orElseThrow().every()).isEqualTo(Duration.ofDays(7));
        assertThat(completed(schedules.runNow("weekly")).result()).isEqualTo("365");
    }

    @Test
    void oneIsMadeAndDeletedAtRunTime() {
        scheduling.perCustomer(new Customer(7, "America/New_York"));
        Schedule made = schedules.find("invoice-7").orElseThrow();
        assertThat(made.cron()).isEqualTo("0 6 1 * *");
        assertThat(made.zone()).isEqualTo("America/New_York");
        assertThat(completed(scheduling.operate()).result()).isEqualTo("7");
        assertThat(schedules.find("invoice-7")).isEmpty();
    }

    @Test
    void sqlFindsThoseThatAreOverdue() throws IOException {
        String sql = Files.readString(Path.of("src/test/resources/guide/overdue-schedules.sql"))
                .replaceAll("(?m)^--.*$", "");
        assertThat(overdue(sql)).isEmpty();
        jdbc.sql("SELECT queue.set_schedule('unreadable', 'invoice.run', cron => '61 * * * *')")
                .query()
                .listOfRows();
        tester.drain();
        jdbc.sql("UPDATE queue.schedule SET counted_from = now() - interval '1 hour' WHERE name = 'unreadable'")
                .update();
        assertThat(overdue(sql)).singleElement().satisfies(row -> {
            assertThat(row).containsEntry("name", "unreadable");
            assertThat(row.get("problem")).isNotNull();
        });
    }

    private List<Map<String, Object>> overdue(String sql) {
        return jdbc.sql(sql).query().listOfRows();
    }

    private JobDetails completed(UUID id) {
        tester.drain();
        JobDetails job = operations.find(id).orElseThrow();
        assertThat(job.state()).isEqualTo(JobState.COMPLETED);
        return job;
    }
}
