package dev.jobqueue.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.client.RestClient;

/** Nodes that only publish, and nodes that only work, on one database. */
class ProfilesIntegrationTests {

    private final TestDatabase database = TestDatabase.create();

    @Test
    void leaveTheWorkToTheNodesForIt() {
        try (ConfigurableApplicationContext web = start("web")) {
            assertThat(web).isInstanceOf(WebServerApplicationContext.class);
            UUID id = web.getBean(JobPublisher.class).publish("order.remind", Map.of("number", 1));
            assertThat(state(web, id)).isEqualTo(JobState.PENDING);

            try (ConfigurableApplicationContext worker = start("worker")) {
                assertThat(worker).isNotInstanceOf(WebServerApplicationContext.class);
                await().atMost(Duration.ofSeconds(30)).until(() -> state(web, id) == JobState.COMPLETED);

                UUID report = web.getBean(JobPublisher.class)
                        .publish(Job.of("report.build", Map.of("seconds", 60)).queue("reports"));
                await().atMost(Duration.ofSeconds(30)).until(() -> state(web, report) == JobState.RUNNING);
                web.getBean(JobOperations.class).cancel(report);
                await().atMost(Duration.ofSeconds(30)).until(() -> state(web, report) == JobState.CANCELLED);
            }
        }
    }

    @Test
    void forwardOrdersToKafka() {
        try (ConfigurableApplicationContext web = start("web,kafka")) {
            int port = ((WebServerApplicationContext) web).getWebServer().getPort();
            RestClient.create("http://localhost:" + port)
                    .post()
                    .uri("/orders")
                    .body(Map.of("customer", "Ada", "email", "ada@example.org", "total", 12))
                    .retrieve()
                    .toBodilessEntity();

            assertThat(web.getBean(JdbcClient.class)
                            .sql("SELECT payload ->> 'topic' FROM queue.job WHERE type = 'forward.kafka'")
                            .query(String.class)
                            .list())
                    .containsExactly("orders");
        }
    }

    private ConfigurableApplicationContext start(String profile) {
        return new SpringApplication(SampleApplication.class)
                .run(
                        "--spring.profiles.active=" + profile,
                        "--server.port=0",
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password());
    }

    private static JobState state(ConfigurableApplicationContext node, UUID id) {
        return node.getBean(JobOperations.class).find(id).map(JobDetails::state).orElseThrow();
    }
}
