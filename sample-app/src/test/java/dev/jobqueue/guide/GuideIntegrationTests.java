package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.guide.Payloads.BuildReport;
import dev.jobqueue.guide.Payloads.CollectPayment;
import dev.jobqueue.guide.Payloads.ImportCatalog;
import dev.jobqueue.guide.Payloads.IndexProduct;
import dev.jobqueue.guide.Payloads.MakeThumbnail;
import dev.jobqueue.guide.Payloads.ReserveStock;
import dev.jobqueue.guide.Payloads.TrackParcel;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Every example of the guide does what the guide says. */
@SpringBootTest(webEnvironment = WebEnvironment.NONE)
@AutoConfigureJobTest
@JobDatabase
@Transactional
class GuideIntegrationTests {

    @Autowired
    private Publishing publishing;

    @Autowired
    private Operating operating;

    @Autowired
    private Recipes recipes;

    @Autowired
    private Outside outside;

    @Autowired
    private JobPublisher jobs;

    @Autowired
    private JobOperations operations;

    @Autowired
    private JobSchedules schedules;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private TransactionTemplate transactions;

    @Autowired
    private JobTester tester;

    @BeforeEach
    void forgetMails() {
        outside.mails.clear();
    }

    @Test
    void sendsTheInvoice() {
        ended(jobs.publish(new SendInvoice(7, "joe@example.org")), JobState.COMPLETED);
        assertThat(outside.mails).contains("joe@example.org: Invoice of order 7");
    }

    @Nested
    class APublication {

        @Test
        void isHandledAndKeepsItsResult() {
            JobDetails job = ended(publishing.onePayload(), JobState.COMPLETED);
            assertThat(job.type()).isEqualTo("invoice.send");
            assertThat(job.result()).contains("ada@example.org");
            ended(publishing.byType(), JobState.COMPLETED);
        }

        @Test
        void hasOptions() {
            publishing.withOptions();
            assertThat(tester)
                    .scheduled("report.build")
                    .inQueue("night")
                    .withPriority(10)
                    .delayedBy(Duration.ofHours(1))
                    .withHeader("requested-by", "ada")
                    .matching("may be tried five times", job -> job.maxAttempts() == 5);
        }

        @Test
        void isInTheQueueOfItsType() {
            jobs.publish(new TrackParcel("2A"));
            assertThat(tester).published("parcel.track").inQueue("parcels");
        }

        @Test
        void isUniqueByItsKeyOrItsId() {
            assertThat(publishing.unique().stream().distinct()).hasSize(1);
            UUID id = publishing.idempotent("2026-7");
            ended(id, JobState.COMPLETED);
            Instant finished =
                    ended(publishing.idempotent("2026-7"), JobState.COMPLETED).finishedAt();
            assertThat(ended(id, JobState.COMPLETED).finishedAt()).isEqualTo(finished);
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED) // a refusal would end the transaction of the test
        void tellsWhatBecomesOfATakenKey() {
            List<UUID> throttled = publishing.throttled();
            ended(throttled.get(0), JobState.COMPLETED);
            assertThat(publishing.throttled()).containsOnly(throttled.get(0));
            List<UUID> replaced = publishing.replaced();
            assertThat(replaced.get(1)).isEqualTo(replaced.get(0));
            assertThat(operations.find(replaced.get(0)).orElseThrow().payload())
                    .asString()
                    .contains("new@example.org");
            assertThat(operations.find(publishing.refused()).orElseThrow().state())
                    .isEqualTo(JobState.SCHEDULED);
            assertThat(publishing.debounced().stream().distinct()).hasSize(1);
            assertThat(publishing.told().isNew()).isTrue();
            tester.deleteAll();
        }

        @Test
        void mayBeOfMany() {
            List<UUID> ids = publishing.many(List.of(1L, 2L, 3L));
            assertThat(ids).doesNotHaveDuplicates().hasSize(3);
            ids.forEach(id -> ended(id, JobState.COMPLETED));
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void rollsBackWithTheOrder() {
            transactions.executeWithoutResult(status -> {
                publishing.place("Ada", "refused@example.org", BigDecimal.TEN);
                status.setRollbackOnly();
            });
            assertThat(tester).nothingPublished();
            assertThat(jdbc.sql("SELECT email FROM orders").query(String.class).list())
                    .doesNotContain("refused@example.org");
        }

        @Test
        void mayComeFromSql() throws IOException {
            String sql = Files.readString(Path.of("src/test/resources/guide/publish.sql"))
                    .replaceAll("--.*", "")
                    .strip();
            ended(jdbc.sql(sql).query(UUID.class).single(), JobState.COMPLETED);
            assertThat(outside.mails).contains("sql@example.org: Invoice of order 42");
        }
    }

    @Nested
    class AHandler {

        @Test
        void takesWhatItAsksFor() {
            ended(jobs.publish("stock.count", null), JobState.COMPLETED);
            assertThat(ended(jobs.publish("json.echo", List.of(1, 2)), JobState.COMPLETED)
                            .result())
                    .isEqualToIgnoringWhitespace("[1, 2]");
        }

        @Test
        void commitsWithItsCompletion() {
            publishing.place("Eve", "guide@example.org", BigDecimal.ONE);
            long orderId = jdbc.sql("SELECT id FROM orders WHERE email = 'guide@example.org'")
                    .query(Long.class)
                    .single();
            ended(jobs.publish(new ReserveStock(orderId, "reserved@example.org")), JobState.COMPLETED);
            assertThat(outside.mails.toString()).contains("reserved@example.org");
        }

        @Test
        void isTriedAgainUnlessThatIsPointless() {
            JobDetails busy =
                    ended(jobs.publish(Job.of(new CollectPayment("busy", 1)).maxAttempts(2)), JobState.DEAD);
            assertThat(busy.errors()).hasSize(2);
            UUID none = jobs.publish(new CollectPayment("none", 1));
            assertThat(ended(none, JobState.DEAD).errors()).hasSize(1);
            operating.replay(none);
            ended(none, JobState.DEAD);
            assertThat(operating.look(none)).hasValue(JobState.DEAD);
        }

        @Test
        void comesBackLater() {
            UUID id = jobs.publish(new TrackParcel("1Z"));
            JobDetails snoozed = ended(id, JobState.SCHEDULED);
            assertThat(snoozed.attempt()).isZero();
            assertThat(operating.cancel(id)).isEqualTo(JobState.CANCELLED);
            ended(jobs.publish(new TrackParcel("1Z")), JobState.COMPLETED);
        }

        @Test
        void doesNotRepeatItsSteps() {
            JobDetails report = ended(jobs.publish(new BuildReport(2026, 7)), JobState.COMPLETED);
            assertThat(report.attempt()).isEqualTo(2);
            assertThat(report.result()).isEqualTo("\"report of 1 orders\"");
            assertThat(outside.counted).hasValue(1);
        }

        @Test
        void getsMoreTime() {
            ended(jobs.publish(new ImportCatalog(3)), JobState.COMPLETED);
            assertThat(outside.pages).containsExactly(1, 2, 3);
        }

        @Test
        void mayBeGivenAsCode() {
            UUID id = jobs.publish("thumbnail.make", new MakeThumbnail("cat.png"));
            assertThat(ended(id, JobState.COMPLETED).queue()).isEqualTo("images");
        }

        @Test
        void mayTakeManyJobsAtOnce() {
            UUID good = jobs.publish(new IndexProduct(1));
            UUID refused = jobs.publish(new IndexProduct(-1));
            assertThat(ended(good, JobState.COMPLETED).queue()).isEqualTo("search-index");
            ended(refused, JobState.DEAD);
        }

        @Test
        void mayHaveASchedule() {
            ended(schedules.runNow("orders.tidy"), JobState.COMPLETED);
        }
    }

    @Nested
    class AnExtension {

        @Test
        void carriesTheTenant() {
            Tenant.set("acme");
            try {
                UUID id = jobs.publish("tenant.show", null);
                assertThat(ended(id, JobState.COMPLETED).result()).isEqualTo("\"acme\"");
                assertThat(ended(id, JobState.COMPLETED).headers()).containsEntry("tenant", "acme");
            } finally {
                Tenant.clear();
            }
            assertThat(ended(jobs.publish("tenant.show", null), JobState.COMPLETED)
                            .result())
                    .isNull();
        }

        @Test
        void hearsOfDeadJobs() {
            UUID id = jobs.publish(new CollectPayment("none", 1));
            tester.drain(); // which hears nothing of what listeners do, on a thread of their own
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> outside.mails.stream()
                            .anyMatch(mail -> mail.startsWith(
                                    "ops@example.org: Job %s (payment.collect) is dead: ".formatted(id))));
        }
    }

    /** Those of the page of recipes. */
    @Nested
    class ARecipe {

        @Test
        void mailsOnce() {
            ended(jobs.publish(new Recipes.WelcomeMail("new@example.org")), JobState.COMPLETED);
            assertThat(outside.mails).containsOnlyOnce("new@example.org: Welcome");
        }

        @Test
        void comesBackWhenAFlakyServiceIsOpen() {
            UUID id = jobs.publish("rates.fetch", null);
            ended(id, JobState.SCHEDULED);
            tester.advance(Duration.ofMinutes(1));
            ended(id, JobState.COMPLETED);
            assertThat(outside.fetched).hasValue(1);
        }

        @Test
        void reportsEveryNight() {
            ended(schedules.runNow("report.nightly"), JobState.COMPLETED);
            assertThat(outside.mails).anyMatch(mail -> mail.matches("boss@example.org: \\d+ orders"));
        }

        @Test
        void importsPageByPage() {
            Recipes.ImportFile file = new Recipes.ImportFile("catalog.csv", 5_000);
            ended(jobs.publish(file), JobState.COMPLETED);
            ended(jobs.publish(file), JobState.COMPLETED);
            assertThat(outside.rows).hasValue(5_000);
        }

        @Test
        void goesOnWhenTheWebhookCalls() {
            UUID expiry = recipes.requestPayment(99);
            UUID event = UUID.randomUUID();
            recipes.paymentArrived(event, 99, expiry);
            recipes.paymentArrived(event, 99, expiry);
            ended(event, JobState.COMPLETED);
            ended(expiry, JobState.CANCELLED);
            assertThat(outside.mails).containsOnlyOnce("ada@example.org: Paid: order 99");
        }
    }

    @Test
    void jobsAreFoundAndChangedByFilter() {
        UUID id = jobs.publish(
                Job.of(new CollectPayment("busy", 1)).maxAttempts(1).delay(Duration.ofHours(1)));
        assertThat(operating.failing()).isEmpty();
        jdbc.sql("UPDATE queue.job SET errors = '[{\"attempt\": 1, \"error\": \"It timed out.\"}]' WHERE id = ?")
                .param(id)
                .update();
        operating.change(id);
        assertThat(operating.failing()).singleElement().satisfies(job -> {
            assertThat(job.id()).isEqualTo(id);
            assertThat(job.priority()).isEqualTo(100);
            assertThat(job.runAt()).isAfter(job.createdAt().plus(Duration.ofMinutes(90)));
        });
        assertThat(operating.retryAll().jobs()).isEqualTo(1);
        tester.drain();
        assertThat(operating.look(id)).hasValue(JobState.DEAD);
    }

    @Test
    void aPausedQueueRests() {
        operating.pause();
        UUID id = jobs.publish(Job.of("json.echo", List.of()).queue("reports"));
        assertThat(operating.count()).isEqualTo("1 reports wait");
        assertThat(operating.why(id).get(0)).contains("'reports' is paused since");
        ended(jobs.publish("json.echo", List.of()), JobState.COMPLETED);
        assertThat(operating.look(id)).hasValue(JobState.PENDING);
        operating.resume();
        ended(id, JobState.COMPLETED);
        assertThat(operating.cancel(id)).isEqualTo(JobState.COMPLETED);
    }

    private JobDetails ended(UUID id, JobState state) {
        tester.drainIncludingRetries();
        JobDetails job = operations.find(id).orElseThrow();
        assertThat(job.state()).isEqualTo(state);
        return job;
    }
}
