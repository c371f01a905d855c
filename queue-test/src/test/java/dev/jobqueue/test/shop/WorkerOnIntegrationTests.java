package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Transactional;

/** The worker of the application runs beside the tester. */
@SpringBootTest
@AutoConfigureJobTest(worker = true)
class WorkerOnIntegrationTests {

    private static final Duration CROWDED = Duration.ofSeconds(60);

    @Autowired
    private JobTester jobs;

    @Autowired
    private JobPublisher publisher;

    @DynamicPropertySource
    static void database(DynamicPropertyRegistry registry) {
        TestDatabase.create().addTo(registry::add);
    }

    @AfterEach
    void deleteWhatWasCommitted() {
        jobs.deleteAll();
    }

    @Test
    void handlesWhatIsCommitted() {
        publisher.publish("order.shipped", 1);
        await().atMost(CROWDED)
                .untilAsserted(() -> assertThat(jobs).completed("order.shipped").once());
    }

    @Test
    void goesByTheTimeOfTheTest() {
        publisher.publish(Job.of("order.shipped", 1).delay(Duration.ofDays(1)));
        assertThat(jobs).scheduled("order.shipped");
        jobs.advance(Duration.ofDays(2));
        publisher.publish("order.shipped", 2);
        await().atMost(CROWDED)
                .untilAsserted(() -> assertThat(jobs)
                        .completed("order.shipped")
                        .afterAttempts(1)
                        .times(2));
    }

    @Test
    @Transactional
    void leavesToTheTesterWhatIsNotCommitted() {
        publisher.publish("order.shipped", 1);
        assertThat(jobs.drain("order.shipped")).isEqualTo(1);
        assertThat(jobs).completed("order.shipped").once();
    }
}
