package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Forwarded;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@JdbcTest
@AutoConfigureJobTest
@Import({Orders.class, Mailer.class, ShopHandlers.class})
class JdbcKitIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @Autowired
    private Orders orders;

    @Autowired
    private Environment environment;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        KitDatabase.addTo(registry);
    }

    @Test
    void runsJobsInTheTransactionOfTheTest() {
        long order = orders.place("ada@example.org");
        jobs.drain();
        assertThat(jobs).completed("invoice.send").once();
        assertThat(orders.state(order)).isEqualTo("INVOICED");
    }

    @Test
    void leavesMessagesForBrokersToNodesThatHaveOne() {
        publisher.publish(new OrderPlaced(7));
        assertThat(jobs.drain()).isZero();
        assertThat(jobs).pending("forward.kafka").inQueue("forward.kafka").once();
        // where there is a broker it is not sent either, but the test kit has no client of one on its class path
        assertThat(environment.getProperty("queue.forward.kafka.enabled")).isEqualTo("false");
        assertThat(environment.getProperty("queue.forward.rabbit.enabled")).isEqualTo("false");
    }

    @Forwarded(kafka = "orders", key = "orderId")
    record OrderPlaced(long orderId) {}
}
