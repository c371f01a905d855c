package dev.jobqueue.guide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.autoconfigure.QueueProperties;
import dev.jobqueue.guide.Payloads.SendNewsletter;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The settings that the guide shows do what it says. */
class GuideConfigurationIntegrationTests {

    private final TestDatabase database = TestDatabase.create();

    @Test
    void retriesAndQueuesAreSetByProperties() {
        try (ConfigurableApplicationContext node = start("retry.yml", "queues.yml", "virtual.yml")) {
            UUID id = node.getBean(JobPublisher.class)
                    .publish(Job.of("payment.collect", "{}").delay(Duration.ofHours(1)));
            assertThat(node.getBean(JobOperations.class).find(id).map(JobDetails::maxAttempts))
                    .hasValue(10);
            JdbcClient jdbc = node.getBean(JdbcClient.class);
            assertThat(jdbc.sql("SELECT max_attempts || ' ' || base FROM queue.retry_policy WHERE type = ?")
                            .param("payment.collect")
                            .query(String.class)
                            .single())
                    .isEqualTo("10 00:01:00");
        }
    }

    @Test
    void nodesShareTheQueues() {
        try (ConfigurableApplicationContext web = start("publish-only.yml");
                ConfigurableApplicationContext reports = start("worker-queues.yml")) {
            JobPublisher jobs = web.getBean(JobPublisher.class);
            UUID left = jobs.publish("json.echo", List.of());
            UUID taken = jobs.publish(Job.of("json.echo", List.of()).queue("reports"));
            awaitState(reports, taken, JobState.COMPLETED);
            assertThat(state(reports, left)).isEqualTo(JobState.PENDING);
            assertThat(web.getBean(Operating.class).pending()).isEqualTo(1);
        }
    }

    @Test
    void aHandlerIsStoppedByACancel() {
        try (ConfigurableApplicationContext node = start("correlation.yml")) {
            UUID id = node.getBean(JobPublisher.class).publish(new SendNewsletter("July", 100_000_000));
            Outside outside = node.getBean(Outside.class);
            await().atMost(Duration.ofSeconds(30)).until(() -> outside.mails.contains("reader-1@example.org: July"));
            assertThat(node.getBean(Operating.class).cancel(id)).isEqualTo(JobState.RUNNING);
            awaitState(node, id, JobState.CANCELLED);
        }
    }

    @Test
    void theQueueMayHaveADatabaseOfItsOwn() {
        TestDatabase second = TestDatabase.create();
        try (ConfigurableApplicationContext node = run(List.of(
                "--spring.profiles.active=two-databases",
                "--jobs.url=" + second.jdbcUrl(),
                "--jobs.username=" + second.username(),
                "--jobs.password=" + second.password()))) {
            assertThat(node.getBean(DataSource.class)).isNotSameAs(node.getBean("queueDataSource"));
            UUID id = node.getBean(JobPublisher.class).publish("json.echo", List.of());
            awaitState(node, id, JobState.COMPLETED);
            assertThat(JdbcClient.create(second.dataSource())
                            .sql("SELECT count(*) FROM queue.job_history")
                            .query(Long.class)
                            .single())
                    .isOne();
        }
    }

    @Test
    void theQueuePollsBehindPgBouncer() {
        try (ConfigurableApplicationContext node = start("pgbouncer.yml")) {
            UUID id = node.getBean(JobPublisher.class).publish("json.echo", List.of());
            awaitState(node, id, JobState.COMPLETED);
            assertThat(node.getBeanFactory()
                            .getBean(QueueProperties.class)
                            .listener()
                            .enabled())
                    .isFalse();
        }
    }

    @Test
    void linesOfAHandlerNameTheJob() {
        try (ConfigurableApplicationContext node = start("correlation.yml");
                LogLines lines = new LogLines(
                        Handlers.class, node.getEnvironment().getRequiredProperty("logging.pattern.correlation"))) {
            UUID id = node.getBean(JobPublisher.class).publish("json.echo", List.of());
            awaitState(node, id, JobState.COMPLETED);
            assertThat(lines.all()).contains("[json.echo %s 1] ".formatted(id));
        }
    }

    private ConfigurableApplicationContext start(String... files) {
        List<String> locations = new ArrayList<>();
        for (String file : files) {
            locations.add("classpath:guide/" + file);
        }
        return run(List.of("--spring.config.additional-location=" + String.join(",", locations)));
    }

    private ConfigurableApplicationContext run(List<String> arguments) {
        List<String> all = new ArrayList<>(arguments);
        all.add("--spring.datasource.url=" + database.jdbcUrl());
        all.add("--spring.datasource.username=" + database.username());
        all.add("--spring.datasource.password=" + database.password());
        return new SpringApplicationBuilder(GuideApplication.class)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }

    private static void awaitState(ConfigurableApplicationContext node, UUID id, JobState state) {
        await().atMost(Duration.ofSeconds(30)).until(() -> state(node, id) == state);
    }

    private static JobState state(ConfigurableApplicationContext node, UUID id) {
        return node.getBean(JobOperations.class).find(id).map(JobDetails::state).orElseThrow();
    }
}
