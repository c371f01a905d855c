package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** What a test asks for by mistake is refused or told, and what is merely unusual works. */
@JobTest({Orders.class, Mailer.class, ShopHandlers.class, ElsewhereHandlers.class, OpenHandlers.class})
class OddUsesIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Orders orders;

    @Autowired
    private Mailer mailer;

    @Autowired
    private JdbcTemplate jdbc;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @BeforeEach
    void resetTheOutside() {
        mailer.reset();
    }

    @Nested
    class Faults {

        @Test
        void thatNeverHappenAreToldOnce() {
            orders.place("ada@example.org");
            jobs.crashAfter("rendr");
            assertThatThrownBy(() -> jobs.drain())
                    .isInstanceOf(AssertionError.class)
                    .hasMessage("The node was to die after step 'rendr', but no attempt finished it:"
                            + " there was 'render' of 'invoice.send'.");
            assertThat(jobs).completed("invoice.send").afterAttempts(1);
            assertThat(jobs.drain()).isZero();
        }

        @Test
        void areToldByEveryCallThatLetsJobsRun() {
            assertThatThrownBy(() -> jobs.crashAfter("render").drain("invoice.send"))
                    .hasMessageEndingWith("there were no steps.");
            assertThatThrownBy(() -> jobs.crashAfter("render").drainIncludingRetries())
                    .isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> jobs.crashAfter("render").advance(Duration.ofSeconds(1)))
                    .isInstanceOf(AssertionError.class);
            assertThatThrownBy(() -> jobs.loseLease().drain())
                    .hasMessage("A job was to lose its lease, but no handler began.");
        }

        @Test
        void mayHappenMoreThanOnce() {
            orders.place("ada@example.org");
            jobs.crashAfter("render").crashAfter("render").drain();
            assertThat(jobs).completed("invoice.send").afterAttempts(3);
        }
    }

    @Nested
    class Refused {

        @Test
        void isATypeThatNobodyHandles() {
            assertThatThrownBy(() -> jobs.drain("invoice.sent"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageStartingWith(
                            "No handler of this test takes jobs of type 'invoice.sent'; there are handlers"
                                    + " for [elsewhere.log, elsewhere.log.transactional, invoice.send, ");
        }

        @Test
        void isADrainWithinAHandler() {
            orders.place("ada@example.org");
            mailer.meanwhile(() -> jobs.drain());
            assertThatThrownBy(() -> jobs.drain())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("A handler runs now");
            mailer.meanwhile(() -> {});
            jobs.drainIncludingRetries();
            assertThat(jobs).completed("invoice.send");
        }

        @Test
        void isADrainOfAnotherThreadMeanwhile() {
            orders.place("ada@example.org");
            mailer.meanwhile(
                    () -> CompletableFuture.runAsync(() -> jobs.runNext()).join());
            jobs.drain();
            assertThat(jobs).scheduled("invoice.send").withErrorContaining("it is for one thread only");
        }

        @Test
        void isAnotherThreadWhileAHandlerRuns() {
            publisher.publish("order.slow", 1);
            mailer.meanwhile(() -> elsewhere(() -> jobs.advance(Duration.ofDays(1))));
            assertThatThrownBy(() -> jobs.drain())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("A handler runs now: call advance, setTime and loseLease on its thread");
            publisher.publish("order.slow", 2);
            mailer.meanwhile(() -> elsewhere(() -> jobs.setTime(Instant.now())));
            assertThatThrownBy(() -> jobs.drain()).hasMessageStartingWith("A handler runs now:");
            publisher.publish("order.slow", 3);
            mailer.meanwhile(() -> elsewhere(() -> jobs.loseLease()));
            assertThatThrownBy(() -> jobs.drain()).hasMessageStartingWith("A handler runs now:");
        }

        private static void elsewhere(Runnable action) {
            CompletableFuture.runAsync(action).join();
        }

        @ParameterizedTest
        @CsvSource({"elsewhere.log, thread", "elsewhere.log, transaction", "elsewhere.log.transactional, transaction"})
        void isAHandlerThatCallsItsContextWhereTheJobIsNotSeen(String type, String where) {
            publisher.publish(type, where);
            assertThatThrownBy(() -> jobs.drain())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("The handler of '" + type + "' called its JobContext on another thread");
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void isNoSuchHandlerIfTheTestCommits() {
            publisher.publish("elsewhere.log", "thread");
            publisher.publish("elsewhere.log", "transaction");
            assertThat(jobs.drain("elsewhere.log")).isEqualTo(2);
            assertThat(jobs).completed("elsewhere.log").times(2);
            jobs.deleteAll();
        }

        @Test
        void isANegativeDuration() {
            assertThatThrownBy(() -> jobs.advance(Duration.ofSeconds(-1)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("setTime sets the clock back");
        }

        @Test
        void isATimeThatNoClockShows() {
            assertThatThrownBy(() -> jobs.setTime(Instant.MAX)).hasMessageContaining("must be between 2000");
            assertThatThrownBy(() -> jobs.setTime(Instant.MIN)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> jobs.advance(Duration.ofSeconds(Long.MAX_VALUE)))
                    .hasMessageContaining("must be before 2060");
        }

        @Test
        void isALimitOfNothing() {
            assertThatThrownBy(() -> jobs.limit(0)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class Time {

        @Test
        void maySetBack() {
            orders.place("ada@example.org");
            jobs.setTime(Instant.now().minus(Duration.ofDays(400)));
            mailer.failNext(1);
            jobs.crashAfter("render").drain();
            assertThat(jobs).scheduled("invoice.send").afterAttempts(2);
            jobs.advance(Duration.ofHours(1));
            assertThat(jobs).completed("invoice.send").afterAttempts(3);
            publisher.publish("order.shipped", 1);
            assertThat(jobs.drain("order.shipped")).isEqualTo(1);
            jobs.setTime(Instant.parse("2000-01-01T00:00:00Z"));
            publisher.publish("order.shipped", 2);
            assertThat(jobs.drain("order.shipped")).isEqualTo(1);
            assertThat(jobs).completed("order.shipped").times(2);
        }

        @Test
        void mayPassForYears() {
            publisher.publish(Job.of("order.shipped", 1).delay(Duration.ofDays(700)));
            jobs.setTime(Instant.now().plus(Duration.ofDays(3_649)));
            jobs.drain();
            assertThat(jobs).completed("order.shipped");
            jobs.setTime(Instant.parse("2059-10-01T00:00:00Z"));
            publisher.publish("order.shipped", 2);
            jobs.drain();
            assertThat(jobs).completed("order.shipped").times(2);
            jobs.advance(Duration.ofDays(60));
            assertThat(mailer.mails)
                    .filteredOn(mail -> mail.startsWith("tidy 2059"))
                    .hasSizeBetween(59, 61);
        }

        @Test
        void isOfIdsThatWereGivenToo() {
            jobs.setTime(Instant.parse("2030-01-01T00:00:00Z"));
            publisher.publish(Job.of("order.shipped", 1).id(UUID.randomUUID()));
            assertThat(jdbc.queryForObject("SELECT at FROM queue.given_id", OffsetDateTime.class))
                    .isAfter(OffsetDateTime.parse("2029-12-31T23:59:59Z"));
        }
    }

    @ParameterizedTest
    @CsvSource({"order.open, OPENED", "order.open.transactional, INVOICED"})
    void rollsBackTransactionsThatHandlersLeaveOpen(String type, String state) {
        long order = orders.place("ada@example.org");
        publisher.publish(type, order);
        jobs.drain();
        assertThat(jobs).scheduled(type).afterAttempts(1).withErrorContaining("left a transaction open");
        assertThat(jobs).completed("invoice.send").once();
        assertThat(orders.state(order)).isEqualTo(state);
        assertThat(orders.count()).isEqualTo(1);
    }

    @Test
    void countsAttemptsThatNeverCameToTheirHandler() {
        publisher.publish("invoice.send", "no invoice");
        assertThat(jobs.drain()).isEqualTo(1);
        assertThat(jobs).dead("invoice.send").afterAttempts(1).withErrorContaining("cannot be read as");
    }

    @Test
    void stopsAtItsLimitOfRunsThatNobodyHandles(@Autowired JobSchedules schedules) {
        schedules.set(ScheduleDefinition.of("every second", "nobody.knows").every(Duration.ofSeconds(1)));
        assertThatThrownBy(() -> jobs.limit(10).advance(Duration.ofDays(1)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("Something was due more than 10 times while time passed.");
    }

    @Test
    void drainsAsManyJobsAsItsLimit() {
        publisher.publishAll(IntStream.range(0, 300)
                .mapToObj(i -> Job.of("order.shipped", i))
                .toList());
        assertThat(jobs.limit(300).drain()).isEqualTo(300);
    }

    @Test
    void retriesManyJobsWithoutLookingAtAllOfThemEachTime() {
        publisher.publishAll(IntStream.range(0, 200)
                .mapToObj(i -> Job.of(new SendInvoice(i, "a")))
                .toList());
        mailer.failNext(400);
        assertThat(jobs.drainIncludingRetries()).isEqualTo(600);
        assertThat(jobs).completed("invoice.send").afterAttempts(3).times(200);
    }
}
