package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobState;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobDatabase;
import dev.jobqueue.test.JobTester;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.resttestclient.autoconfigure.AutoConfigureRestTestClient;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.web.servlet.client.RestTestClient;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@AutoConfigureRestTestClient
@AutoConfigureJobTest
@JobDatabase
class PartnersIntegrationTests {

    @Autowired
    private RestTestClient client;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private JobTester jobs;

    @AfterEach
    void deleteJobs() {
        jobs.deleteAll();
        jdbc.sql("DELETE FROM booking").update();
    }

    @Test
    void callsThePartnerAtItsRate() {
        post("/contacts/sync?count=15");
        jobs.drain();
        assertThat(jobs).completed("contact.sync").once();
        jobs.advance(Duration.ofSeconds(1));
        assertThat(jobs.publishedJobs())
                .filteredOn(job -> job.state() == JobState.COMPLETED)
                .as("five a second, and what the test itself takes")
                .hasSizeBetween(5, 8);
    }

    @Test
    void waitsWhenThePartnerAsksForIt() {
        post("/contacts/sync?count=25");
        jobs.advance(Duration.ofSeconds(60));
        assertThat(jobs).completed("contact.sync").times(25);
        assertThat(jobs.publishedJobs())
                .allSatisfy(job -> assertThat(job.attempt()).isLessThanOrEqualTo(1));
    }

    @Test
    void booksInTheOrderOfPublishing() {
        post("/accounts/A1/bookings?count=20");
        post("/accounts/B2/bookings?count=5");
        jobs.drain();
        assertThat(client.get()
                        .uri("/accounts/A1/bookings")
                        .exchange()
                        .expectStatus()
                        .isOk()
                        .expectBody(new ParameterizedTypeReference<List<Integer>>() {})
                        .returnResult()
                        .getResponseBody())
                .isEqualTo(IntStream.iterate(20, amount -> amount - 1)
                        .limit(20)
                        .boxed()
                        .toList());
    }

    @Test
    void letsASmallTenantTakeItsTurn() {
        post("/mails?count=100");
        for (int i = 0; i < 3; i++) {
            jobs.runNext();
        }
        assertThat(jobs)
                .completed("mail.send")
                .withPayload(Map.of("tenant", "small", "number", 1))
                .once();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/contacts/sync?count=0", "/accounts/a%00b/bookings?count=1", "/mails?count=100001"})
    void refusesNonsense(String uri) {
        client.post().uri(URI.create(uri)).exchange().expectStatus().isBadRequest();
    }

    private void post(String uri) {
        client.post().uri(uri).exchange().expectStatus().isAccepted();
    }
}
