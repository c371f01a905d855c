package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTest;
import dev.jobqueue.test.JobTester;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.ActiveProfiles;

/** An application whose schema a DBA keeps in production: the database of the kit has no DBA. */
@JobTest({Orders.class, Mailer.class, ShopHandlers.class})
@JobDatabase
@ActiveProfiles("dba")
class DbaPathIntegrationTests {

    @Autowired
    private JobTester jobs;

    @Autowired
    private Orders orders;

    @Test
    void isMigratedByTheKit() {
        orders.place("ada@example.org");
        jobs.drain();
        assertThat(jobs).completed("invoice.send").once();
    }
}
