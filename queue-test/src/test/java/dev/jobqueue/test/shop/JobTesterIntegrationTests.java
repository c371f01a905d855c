package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

@JobTest({Orders.class, Mailer.class, ShopHandlers.class})
class JobTesterIntegrationTests {

    private static final Logger log = LoggerFactory.getLogger(JobTesterIntegrationTests.class);

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private JobOperations operations;

    @Autowired
    private Orders orders;

    @Autowired
    private Mailer mailer;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @BeforeEach
    void resetTheOutside() {
        mailer.reset();
    }

    @Test
    void retriesThenDies() {
        long order = orders.place("ada@example.org");
        assertThat(jobs)
                .published("invoice.send")
                .withPayload(SendInvoice.class, invoice -> invoice.orderId() == order)
                .inQueue("default")
                .once();
        mailer.failNext(3);
        jobs.drain();
        assertThat(jobs).scheduled("invoice.send").afterAttempts(1);
        jobs.advance(Duration.ofHours(1)).drain();
        assertThat(jobs).dead("invoice.send").afterAttempts(3).withErrorContaining("smtp");
    }

    @Test
    void handlesWhatIsDueAndLeavesTheRest() {
        orders.place("ada@example.org");
        assertThat(jobs.drain()).isEqualTo(1);
        assertThat(jobs).completed("invoice.send").afterAttempts(1);
        assertThat(jobs).scheduled("order.remind").inQueue("reminders").delayedBy(Duration.ofDays(14));
        jobs.advance(Duration.ofDays(13));
        assertThat(jobs).scheduled("order.remind");
        jobs.advance(Duration.ofDays(1));
        assertThat(jobs).completed("order.remind").once();
    }

    @Test
    void keepsStepsOfAttemptsThatThrew() {
        long order = orders.place("ada@example.org");
        mailer.failNext(1);
        assertThat(jobs.drainIncludingRetries()).isEqualTo(2);
        assertThat(jobs).completed("invoice.send").withResult("Invoice " + order + ".1");
        assertThat(jobs).scheduled("order.remind");
    }

    @Test
    void drainsOneTypeAlone() {
        UUID shipped = publisher.publish("order.shipped", 1);
        orders.place("ada@example.org");
        assertThat(jobs.drain("order.shipped")).isEqualTo(1);
        assertThat(operations.find(shipped).orElseThrow().state()).isEqualTo(JobState.COMPLETED);
        assertThat(jobs).pending("invoice.send");
    }

    @Test
    void runsOneJobAfterTheOther() {
        publisher.publish(Job.of("order.shipped", 1));
        publisher.publish(Job.of("order.shipped", 2).priority(10));
        assertThat(jobs.runNext().orElseThrow().payload()).isEqualTo("2");
        assertThat(jobs.runNext().orElseThrow().payload()).isEqualTo("1");
        assertThat(jobs.runNext()).isEmpty();
    }

    @Test
    void stopsAtItsLimitAndNamesTheJobs() {
        publisher.publish("order.loop", 1);
        assertThatThrownBy(() -> jobs.limit(20).drain())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("'order.loop' 21 times");
    }

    @Test
    void drainsAThousandJobsInNoTime() {
        publisher.publishAll(IntStream.range(0, 1_000)
                .mapToObj(i -> Job.of("order.shipped", i))
                .toList());
        long began = System.nanoTime();
        assertThat(jobs.drain()).isEqualTo(1_000);
        log.info("1,000 jobs drained in {} ms", (System.nanoTime() - began) / 1_000_000);
        assertThat(jobs).completed("order.shipped").times(1_000);
    }

    @Nested
    class HandlersThatThrow {

        @Test
        void keepTheirWritesAsInProduction() {
            long order = orders.place("ada@example.org");
            mailer.failNext(1);
            jobs.drain();
            assertThat(orders.state(order)).isEqualTo("INVOICED");
        }

        @Test
        void loseTheirWritesAndJobsIfTheyAreTransactional() {
            long order = orders.place("ada@example.org");
            publisher.publish("stock.reserve", order);
            mailer.failNext(1);
            jobs.drain("stock.reserve");
            assertThat(orders.state(order)).isEqualTo("PLACED");
            assertThat(jobs).nothingPublished("order.shipped");
            jobs.advance(Duration.ofMinutes(1));
            assertThat(orders.state(order)).isEqualTo("RESERVED");
            assertThat(jobs).completed("stock.reserve").afterAttempts(2);
            assertThat(jobs).completed("order.shipped").once();
        }

        @Test
        void loseTheirStepsTooIfTheyAreTransactional() {
            publisher.publish("stock.count", 1);
            mailer.failNext(1);
            jobs.drainIncludingRetries();
            assertThat(jobs).completed("stock.count").withResult("counted by attempt 2");
        }

        @Test
        void leaveAUsableTransactionIfAStatementFailed() {
            orders.place("ada@example.org");
            UUID broken = publisher.publish("order.broken", 1);
            jobs.drain("order.broken");
            assertThat(jobs).scheduled("order.broken").withErrorContaining("duplicate key");
            jobs.advance(Duration.ofMinutes(1));
            assertThat(operations.find(broken).orElseThrow().state()).isEqualTo(JobState.COMPLETED);
            assertThat(mailer.mails).as("the step of the first attempt").contains("attempt 1");
            assertThat(orders.count()).isEqualTo(1);
        }

        @Test
        void leaveAUsableTransactionIfAServiceRolledBack() {
            long order = orders.place("ada@example.org");
            publisher.publish("order.service", order);
            jobs.drain("order.service");
            assertThat(orders.state(order)).isEqualTo("PLACED");
            jobs.advance(Duration.ofMinutes(1));
            assertThat(jobs).completed("order.service").afterAttempts(2);
        }
    }

    @Nested
    class Crashes {

        @Test
        void leaveTheStepDoneAndTheJobToBeTriedAgain() {
            long order = orders.place("ada@example.org");
            jobs.crashAfter("render").drain();
            assertThat(jobs)
                    .completed("invoice.send")
                    .afterAttempts(2)
                    .withErrorContaining("stopped beating")
                    .withResult("Invoice " + order + ".1");
            assertThat(mailer.mails).containsExactly("ada@example.org");
        }

        @Test
        void loseALease() {
            orders.place("ada@example.org");
            jobs.loseLease().drain();
            assertThat(jobs).completed("invoice.send").afterAttempts(2);
            assertThat(mailer.mails).as("fenced at its step").hasSize(1);
        }

        @Test
        void loseALeaseInTheMiddleOfATransaction() {
            long order = orders.place("ada@example.org");
            publisher.publish("stock.reserve", order);
            mailer.meanwhile(() -> {
                mailer.meanwhile(() -> {});
                jobs.loseLease();
            });
            jobs.drain("stock.reserve");
            assertThat(jobs).completed("stock.reserve").afterAttempts(2);
            assertThat(jobs).published("order.shipped").once();
        }
    }

    @Nested
    class Time {

        @Test
        void makesAttemptsTimeOut() {
            publisher.publish("order.slow", 1);
            mailer.meanwhile(() -> jobs.advance(Duration.ofMinutes(6)));
            jobs.drain();
            assertThat(jobs).scheduled("order.slow").afterAttempts(1).withErrorContaining("timed out");
            mailer.meanwhile(() -> {});
            jobs.drainIncludingRetries();
            assertThat(jobs).completed("order.slow").afterAttempts(2);
        }

        @Test
        void firesSchedulesWhereTheClockSkipsAnHour() {
            // 02:30 does not exist on the 28th of March 2027 in Berlin
            jobs.setTime(Instant.parse("2027-03-26T12:00:00Z")).drain();
            mailer.reset();
            jobs.advance(Duration.ofDays(3));
            assertThat(mailer.mails)
                    .containsExactly(
                            "tidy 2027-03-27T01:30:00Z", "tidy 2027-03-28T01:00:00Z", "tidy 2027-03-29T00:30:00Z");
        }

        @Test
        void firesSchedulesOnceWhereTheClockRepeatsAnHour() {
            jobs.setTime(Instant.parse("2027-10-30T12:00:00Z")).drain();
            mailer.reset();
            jobs.advance(Duration.ofDays(2));
            assertThat(mailer.mails).hasSize(2);
        }

        @Test
        void isThatOfUniqueKeys() {
            Job once = Job.of("order.shipped", 1).uniqueKey("order 1").uniqueFor(Duration.ofHours(1));
            publisher.publish(once);
            jobs.advance(Duration.ofMinutes(59));
            publisher.publish(once);
            assertThat(jobs).published("order.shipped").once();
            jobs.advance(Duration.ofMinutes(2));
            publisher.publish(once);
            assertThat(jobs).published("order.shipped").times(2);
        }

        @Test
        void isThatOfDebouncedJobs() {
            Duration minute = Duration.ofMinutes(1);
            for (int i = 1; i <= 4; i++) {
                publisher.publish(Job.of("order.shipped", i).debounce("order", minute, Duration.ofMinutes(10)));
                jobs.advance(Duration.ofSeconds(40));
            }
            assertThat(jobs).scheduled("order.shipped").withPayload(4).once();
            jobs.advance(minute);
            assertThat(jobs).completed("order.shipped").withPayload(4).once();
        }

        @Test
        void startsAnewForEachTest() {
            assertThat(Duration.between(Instant.now(), jobs.now()).abs()).isLessThan(Duration.ofMinutes(1));
            publisher.publish("order.shipped", 1);
            assertThat(jobs.publishedJobs().get(0).createdAt())
                    .isBetween(
                            Instant.now().minus(Duration.ofMinutes(5)),
                            Instant.now().plus(Duration.ofMinutes(5)));
        }

        @Test
        void owesNothingForTheTimeBeforeTheTest(@Autowired JdbcClient jdbc) {
            jdbc.sql("UPDATE queue.schedule SET next_run_at = NULL, counted_from = now() - interval '10 days'")
                    .update();
            jobs.deleteAll(); // begins anew, as each test does
            jobs.drain();
            assertThat(mailer.mails).isEmpty();
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void startsAnewForSchedulesAfterATestThatCommitted() {
            jobs.advance(Duration.ofDays(3));
            jobs.deleteAll();
            mailer.reset();
            jobs.advance(Duration.ofDays(3));
            assertThat(mailer.mails).hasSize(3);
            jobs.deleteAll();
        }

        @Test
        void isSeenByWhatIsPublished() {
            jobs.setTime(Instant.parse("2030-01-01T00:00:00Z"));
            publisher.publish(Job.of("order.shipped", 1).delay(Duration.ofHours(1)));
            assertThat(jobs.publishedJobs().get(0).createdAt()).isAfter("2029-12-31T23:59:59Z");
            assertThat(jobs.drain("order.shipped")).isZero();
            jobs.setTime(Instant.parse("2030-01-01T01:00:01Z"));
            assertThat(jobs.drain("order.shipped")).isEqualTo(1);
        }
    }
}
