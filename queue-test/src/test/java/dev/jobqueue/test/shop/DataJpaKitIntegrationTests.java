package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@DataJpaTest
@AutoConfigureJobTest
@Import(CustomerHandlers.class)
class DataJpaKitIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Customers customers;

    @Autowired
    private JdbcTemplate jdbc;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @Test
    void rollsBackWhatATransactionalHandlerChanged() {
        customers.save(new Customer(1, "Ada"));
        publisher.publish("customer.greet", 1);
        jobs.drain();
        assertThat(jobs).scheduled("customer.greet").withErrorContaining("not yet");
        assertThat(customers.findById(1L).orElseThrow().greetings()).isZero();
        jobs.advance(Duration.ofMinutes(1));
        assertThat(jobs).completed("customer.greet").afterAttempts(2);
        assertThat(jdbc.queryForObject("SELECT greetings FROM customers WHERE id = 1", Integer.class))
                .isEqualTo(1);
    }

    @Test
    void countsAFlushThatFailsAsAnAttempt() {
        customers.save(new Customer(2, "Joe"));
        publisher.publish("customer.break", 2);
        jobs.drainIncludingRetries();
        assertThat(jobs).completed("customer.break").afterAttempts(2).withErrorContaining("null value in column");
        assertThat(customers.findById(2L).orElseThrow().name()).isEqualTo("mended");
    }
}
