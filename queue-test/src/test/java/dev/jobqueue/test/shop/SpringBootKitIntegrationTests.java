package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Transactional;

/** The whole application, with tests that commit and tests that do not. */
@SpringBootTest
@AutoConfigureJobTest
class SpringBootKitIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Orders orders;

    @Autowired
    private Mailer mailer;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private Clock clock;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        TestDatabase.create().addTo(registry::add);
    }

    @BeforeEach
    void resetTheOutside() {
        mailer.reset();
    }

    @AfterEach
    void deleteWhatWasCommitted() {
        jobs.deleteAll();
        jdbc.sql("DELETE FROM orders").update();
    }

    @Test
    void commitsWithoutATransaction() {
        long order = orders.place("ada@example.org");
        mailer.failNext(1);
        jobs.drain();
        assertThat(jobs).scheduled("invoice.send").afterAttempts(1);
        jobs.advance(Duration.ofHours(1));
        assertThat(jobs).completed("invoice.send").afterAttempts(2);
        assertThat(orders.state(order)).isEqualTo("INVOICED");
    }

    @Test
    void movesTheTimeOfEveryConnection() {
        jobs.setTime(Instant.parse("2030-01-01T00:00:00Z"));
        publisher.publish(Job.of("order.shipped", 1).delay(Duration.ofHours(1)));
        assertThat(jobs.drain("order.shipped")).isZero();
        assertThat(jobs)
                .scheduled("order.shipped")
                .matching("is due in 2030", job -> job.runAt().isAfter(Instant.parse("2030-01-01T00:59:00Z")));
        assertThat(clock.instant()).isAfter("2030-01-01T00:00:00Z");
    }

    @Test
    void handlesNothingByItself() {
        publisher.publish("order.shipped", 1);
        assertThat(jobs).pending("order.shipped").once();
    }

    @Test
    void rollsBackTransactionalHandlersOfTheirOwn() {
        long order = orders.place("ada@example.org");
        publisher.publish("stock.reserve", order);
        mailer.failNext(1);
        jobs.drain("stock.reserve");
        assertThat(orders.state(order)).isEqualTo("PLACED");
        assertThat(jobs).nothingPublished("order.shipped");
    }

    @Test
    @Transactional
    void leavesAUsableTransactionOfJpa() {
        long order = orders.place("ada@example.org");
        publisher.publish("order.service", order);
        publisher.publish("order.broken", order);
        publisher.publish("stock.reserve", order);
        mailer.failNext(1);
        jobs.drainIncludingRetries();
        assertThat(jobs).completed("order.service").afterAttempts(2);
        assertThat(jobs).completed("order.broken").afterAttempts(2);
        assertThat(jobs).completed("stock.reserve");
        assertThat(orders.count()).isEqualTo(1);
    }
}
