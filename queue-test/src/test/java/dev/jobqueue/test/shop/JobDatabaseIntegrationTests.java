package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.context.annotation.Import;

/** A slice without any other word about the database. */
@DataJpaTest
@AutoConfigureJobTest
@JobDatabase
@Import({Orders.class, Mailer.class, ShopHandlers.class})
class JobDatabaseIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private Orders orders;

    @Test
    void isThere() {
        orders.place("ada@example.org");
        jobs.drain();
        assertThat(jobs).completed("invoice.send").once();
    }
}
