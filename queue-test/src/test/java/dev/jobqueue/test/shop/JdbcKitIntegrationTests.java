package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@JdbcTest
@AutoConfigureJobTest
@Import({Orders.class, Mailer.class, ShopHandlers.class})
class JdbcKitIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private Orders orders;

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
}
