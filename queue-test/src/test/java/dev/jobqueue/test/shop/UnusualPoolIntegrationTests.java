package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A pool of two connections, which do not commit by themselves. */
@SpringBootTest(
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "spring.datasource.hikari.auto-commit=false",
            "spring.datasource.hikari.maximum-pool-size=2",
            "spring.datasource.hikari.connection-timeout=5000"
        })
@AutoConfigureJobTest
class UnusualPoolIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Orders orders;

    @Autowired
    private Mailer mailer;

    /** By its own class, as applications with several of them do. */
    @Autowired
    private HikariDataSource pool;

    @Autowired
    private PlatformTransactionManager transactions;

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
        if (!TransactionSynchronizationManager.isActualTransactionActive()) {
            jobs.deleteAll();
            new TransactionTemplate(transactions).executeWithoutResult(status -> orders.deleteAll());
        }
    }

    @Test
    void commits() {
        orders.place("ada@example.org");
        mailer.failNext(1);
        jobs.advance(Duration.ofHours(1));
        assertThat(jobs).completed("invoice.send").afterAttempts(2);
        jobs.deleteAll();
        assertThat(jobs).nothingPublished();
        assertThat(pool.getMaximumPoolSize()).isEqualTo(2);
    }

    @Test
    void movesTheTimeOfTransactionsOfAnyIsolation() {
        jobs.setTime(Instant.parse("2030-01-01T00:00:00Z"));
        TransactionTemplate serializable = new TransactionTemplate(transactions);
        serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
        serializable.executeWithoutResult(status -> publisher.publish("order.shipped", 1));
        TransactionTemplate reading = new TransactionTemplate(transactions);
        reading.setReadOnly(true);
        List<JobDetails> published = reading.execute(status -> jobs.publishedJobs());
        assertThat(published)
                .singleElement()
                .satisfies(job -> assertThat(job.createdAt()).isAfter("2029-12-31T23:59:59Z"));
        assertThat(jobs.drain("order.shipped")).isEqualTo(1);
    }

    @Test
    @Transactional(isolation = Isolation.REPEATABLE_READ)
    void rollsBackWhatRepeatsItsReads() {
        orders.place("ada@example.org");
        jobs.advance(Duration.ofDays(15));
        assertThat(jobs).completed("order.remind");
    }

    @Test
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void commitsInAScopeWithoutATransaction() {
        orders.place("ada@example.org");
        jobs.advance(Duration.ofDays(15));
        assertThat(jobs).completed("order.remind");
    }

    @Test
    void movesTheSystemClockOfTheApplication() {
        jobs.setTime(Instant.parse("2030-01-01T00:00:00Z"));
        assertThat(clock.instant()).isAfter("2029-12-31T23:59:59Z");
        assertThat(clock.getZone()).isEqualTo(ZoneId.of("Europe/Berlin"));
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Clocks {

        @Bean
        Clock applicationClock() {
            return Clock.system(ZoneId.of("Europe/Berlin"));
        }
    }

    @Test
    void drainsAfterACommit() {
        new TransactionTemplate(transactions).executeWithoutResult(status -> {
            long order = orders.place("ada@example.org");
            publisher.publish("stock.reserve", order);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    mailer.failNext(1);
                    jobs.drainIncludingRetries();
                }
            });
        });
        assertThat(jobs).completed("invoice.send");
        assertThat(jobs).completed("stock.reserve");
        assertThat(orders.count()).isEqualTo(1);
    }
}
