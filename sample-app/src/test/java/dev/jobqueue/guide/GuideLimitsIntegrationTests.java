package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.OnDead;
import dev.jobqueue.Rate;
import dev.jobqueue.guide.Limiting.Booking;
import dev.jobqueue.guide.Limiting.CallPartner;
import dev.jobqueue.guide.Limiting.RebuildIndex;
import dev.jobqueue.guide.Limiting.SyncAccount;
import dev.jobqueue.guide.Limiting.TenantMail;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.LimitFigures;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;

/** The examples of docs/limits.md do what that page says. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = "spring.config.additional-location=classpath:guide/limits.yml")
@AutoConfigureJobTest
@JobDatabase
@Transactional
class GuideLimitsIntegrationTests {

    @Autowired
    private Limiting limiting;

    @Autowired
    private JobPublisher jobs;

    @Autowired
    private JobOperations operations;

    @Autowired
    private JobTester tester;

    @Autowired
    private JdbcClient jdbc;

    @BeforeEach
    void forget() {
        limiting.done.clear();
    }

    private LimitDefinition limit(String name) {
        return operations.limits().find(name).map(LimitFigures::definition).orElseThrow();
    }

    @Test
    void handlersHaveTheLimitsThatTheyAndThePropertiesSay() {
        assertThat(limit("crm")).isEqualTo(LimitDefinition.ofRunning("crm", 2));
        assertThat(limit("crm-api"))
                .isEqualTo(LimitDefinition.ofRate("crm-api", Rate.of("20/10s")).burst(10));
        assertThat(limit("ledger.book").onDead()).isEqualTo(OnDead.CONTINUE);
        assertThat(limit("imports").running()).isEqualTo(4);
        assertThat(limit("fax-lines").running()).isEqualTo(2);
        assertThat(operations.limits().find("imports"))
                .hasValueSatisfying(found -> assertThat(found.uses())
                        .singleElement()
                        .satisfies(use -> assertThat(use.queue()).isEqualTo("import")));
    }

    @Test
    void jobsWaitForTheirLimits() {
        UUID id = jobs.publish(new SyncAccount("acc-7"));
        assertThat(operations.find(id).orElseThrow().state()).isEqualTo(JobState.WAITING);
        UUID further = limiting.ofThePublisher();
        assertThat(operations.find(further).orElseThrow().state()).isEqualTo(JobState.WAITING);
        tester.drain();
        assertThat(limiting.done).containsExactlyInAnyOrder("acc-7", "exported");
    }

    @Test
    void startAtTheirRate() {
        for (int i = 0; i < 30; i++) {
            jobs.publish(new SyncAccount("acc-" + i));
        }
        tester.drain();
        assertThat(limiting.done).as("the burst").hasSizeBetween(10, 14);
        tester.advance(Duration.ofSeconds(15)).drain();
        assertThat(limiting.done).hasSize(30);
    }

    @Test
    void arePutOffWhenThePartnerSaysSo() {
        limiting.partner.refused.set(false);
        UUID id = jobs.publish(new CallPartner(1));
        UUID other = jobs.publish(new CallPartner(2));
        tester.drain();
        assertThat(operations.find(id).orElseThrow().state()).isNotEqualTo(JobState.COMPLETED);
        assertThat(operations.find(other).orElseThrow().state()).isNotEqualTo(JobState.COMPLETED);
        tester.advance(Duration.ofMinutes(2)).drain();
        assertThat(operations.find(id).orElseThrow().attempt()).isEqualTo(1);
        assertThat(tester).completed("partner.call").times(2);
    }

    @Test
    void areHandledInOrder() {
        jobs.publish(new Booking("a", 1));
        jobs.publish(new Booking("a", 2));
        jobs.publish(new Booking("a", 3));
        tester.drain();
        assertThat(limiting.done).containsExactly("a 1", "a 2", "a 3");
        assertThat(limiting.unblock()).isZero();
    }

    @Test
    void takeTurns() {
        for (int i = 0; i < 20; i++) {
            jobs.publish(new TenantMail("big", "text"));
        }
        jobs.publish(new TenantMail("small", "text"));
        tester.drain();
        assertThat(limiting.done.indexOf("small")).isLessThan(12);
    }

    @Test
    void keepTheNewestOnly() {
        jobs.publish(new RebuildIndex("books", 1));
        jobs.publish(new RebuildIndex("books", 2));
        jobs.publish(new RebuildIndex("books", 3));
        tester.drain();
        assertThat(limiting.done).contains("books 3").doesNotContain("books 2");
    }

    @Test
    void changeAtRunTime() {
        jobs.publish(new SyncAccount("acc-7"));
        assertThat(limiting.operate())
                .singleElement()
                .satisfies(lane -> assertThat(lane.key()).isEqualTo("acc-7"));
        assertThat(limit("crm-api").rate()).isEqualTo(Rate.of("50/10s"));
        tester.drain();
        assertThat(limiting.done).isEmpty();
    }

    @Test
    void areSetInSql() throws IOException {
        for (String line : Files.readAllLines(Path.of("src/test/resources/guide/limits.sql"))) {
            if (line.startsWith("SELECT")) {
                jdbc.sql(line).query().listOfRows();
            }
        }
        assertThat(limit("crm-api").rate()).isEqualTo(Rate.of("100/10s"));
    }
}
