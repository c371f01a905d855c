package dev.jobqueue.autoconfigure.endpoint;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaException;
import dev.jobqueue.internal.migrate.SchemaMigrator;
import dev.jobqueue.postgres.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Applications that are no owners of the schema: what the roles of roles.sql are made for. */
@ExtendWith(OutputCaptureExtension.class)
class DatabaseRolesIntegrationTests {

    private static final List<String> ROLES =
            List.of("queue_publisher", "queue_worker", "queue_viewer", "queue_operator");
    private static final String SUFFIX = Long.toHexString(System.nanoTime());

    private static final TestDatabase database = TestDatabase.create();
    private static final JdbcClient jdbc = JdbcClient.create(database.dataSource());

    /** Roles belong to the whole server: those that were there stay. */
    private static List<String> before = List.of();

    @BeforeAll
    static void applyRoles() throws IOException, SQLException {
        new SchemaMigrator(database.dataSource(), new Schema("queue")).migrate();
        before = jdbc.sql("SELECT rolname FROM pg_roles").query(String.class).list();
        try (InputStream in = Schema.class.getResourceAsStream("/dev/jobqueue/schema/optional/roles.sql");
                Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            String script = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
            statement.execute("SET search_path = queue");
            // the part for psql alone takes the schema from a variable
            statement.execute(script.replaceAll("(?s)\\\\if.*?\\\\endif", ""));
            for (String role : ROLES) {
                statement.execute("CREATE ROLE %s LOGIN PASSWORD 'secret' IN ROLE %s".formatted(login(role), role));
            }
        }
    }

    @AfterAll
    static void dropRoles() {
        for (String role : ROLES) {
            jdbc.sql("DROP ROLE " + login(role)).update();
            jdbc.sql("DROP OWNED BY " + role).update();
            if (!before.contains(role)) {
                jdbc.sql("DROP ROLE " + role).update();
            }
        }
    }

    private static String login(String role) {
        return role + "_" + SUFFIX;
    }

    private static ApplicationContextRunner as(String role) {
        return ObservedApplication.on(database)
                .withConfiguration(AutoConfigurations.of(QueuesEndpointAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withPropertyValues(
                        "spring.datasource.username=" + login(role),
                        "spring.datasource.password=secret",
                        "queue.schema.migrate=false",
                        "queue.health.timeout=30s",
                        "queue.endpoint.timeout=30s",
                        "queue.metrics.refresh=100ms",
                        "management.endpoints.web.exposure.include=queues");
    }

    private static Health health(ApplicationContext context) {
        return context.getBean("queueHealthIndicator", HealthIndicator.class).health();
    }

    private static int status(ApplicationContext context, String action) {
        return context.getBean(QueuesEndpoint.class)
                .act("queue", "default", action)
                .getStatus();
    }

    @Test
    void aPublisherPublishesAndHasHealthAndMeters() {
        as("queue_publisher").withPropertyValues("queue.worker.enabled=false").run(context -> {
            context.getBean(JobPublisher.class)
                    .publish(Job.of("published", Map.of()).queue("of.publisher"));
            Health health = health(context);
            assertThat(health.getStatus()).as(health.toString()).isEqualTo(Status.UP);
            assertThat(String.valueOf(health.getDetails().get("queues"))).contains("of.publisher={state=OK, pending=1");
            await().untilAsserted(() -> assertThat(context.getBean(MeterRegistry.class)
                            .find("queue.jobs")
                            .tags("queue", "of.publisher", "state", "pending")
                            .gauge())
                    .isNotNull()
                    .satisfies(gauge -> assertThat(gauge.value()).isEqualTo(1)));
        });
    }

    @Test
    void aWorkerHandlesJobsButDoesNotActAsAnOperator(CapturedOutput output) {
        as("queue_worker")
                .withBean(
                        HandlerDefinition.class,
                        () -> HandlerDefinition.of("work", Map.class, (payload, job) -> Map.of("done", true)))
                .run(context -> {
                    context.getBean(JobPublisher.class).publish(Job.of("work", Map.of()));
                    await().untilAsserted(() -> assertThat(
                                    jdbc.sql("SELECT count(*) FROM queue.job_history WHERE type = 'work'")
                                            .query(Long.class)
                                            .single())
                            .isEqualTo(1));
                    assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                    assertThat(status(context, "pause")).isEqualTo(403);
                    assertThat(context.getBean(QueuesEndpoint.class)
                                    .act("queue", "default", "pause")
                                    .getBody())
                            .asString()
                            .contains("grant it queue_operator. ")
                            .doesNotContain("queue_viewer");
                    assertThat(output).contains("'queue default: pause' by an anonymous caller was refused");
                });
    }

    @Test
    void aWorkerStoresWhatItsPropertiesSay() {
        as("queue_worker")
                .withPropertyValues("queue.retention=3d", "queue.queues.slow.retention=1d", "queue.retry.work.factor=3")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aRightThatAPropertyNeedsIsNamedAtStart() {
        jdbc.sql("REVOKE EXECUTE ON FUNCTION queue.configure FROM queue_worker").update();
        try {
            as("queue_worker")
                    .withPropertyValues("queue.retention=3d")
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .isInstanceOfSatisfying(
                                    SchemaException.class,
                                    ex -> assertThat(ex.action())
                                            .startsWith("GRANT queue_worker TO " + login("queue_worker")
                                                    + ", or remove the property.")
                                            .contains("--roles", "CREATEROLE"))
                            .hasMessage("The role '%s' may not call 'configure', which queue.retention needs."
                                    .formatted(login("queue_worker"))));
            as("queue_worker").run(context -> assertThat(context).hasNotFailed());
        } finally {
            jdbc.sql("GRANT EXECUTE ON FUNCTION queue.configure TO queue_worker")
                    .update();
        }
    }

    @Test
    void aPublisherThatShouldWorkFailsAtStart() {
        as("queue_publisher")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOfSatisfying(
                                SchemaException.class,
                                ex -> assertThat(ex.action())
                                        .contains("GRANT queue_worker TO", "queue.worker.enabled=false"))
                        .hasMessageContaining("may not call 'cancel', 'claim', 'complete'")
                        .hasMessageContaining("'heartbeat'")
                        .hasMessageEndingWith("which a node that handles jobs needs."));
    }

    @Test
    void aRightThatIsLostWhileItRunsIsCalledARefusal(CapturedOutput output) {
        as("queue_worker").run(context -> {
            jdbc.sql("REVOKE EXECUTE ON FUNCTION queue.heartbeat FROM queue_worker")
                    .update();
            try {
                await().untilAsserted(() -> {
                    assertThat(output).contains("the database refuses, will try until it does not: ERROR: permission");
                    assertThat(health(context).getDetails().get("problems"))
                            .asString()
                            .contains("the database has refused this node for");
                });
            } finally {
                jdbc.sql("GRANT EXECUTE ON FUNCTION queue.heartbeat TO queue_worker")
                        .update();
            }
        });
    }

    @Test
    void whoMayNotPublishIsToldSoAtStart(CapturedOutput output) {
        as("queue_viewer")
                .withPropertyValues("queue.worker.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).contains("GRANT queue_publisher TO " + login("queue_viewer"));
    }

    @Test
    void anOperatorActs() {
        jdbc.sql("SELECT queue.configure_queue('default')").query().listOfRows();
        as("queue_operator").withPropertyValues("queue.worker.enabled=false").run(context -> {
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            assertThat(status(context, "pause")).isEqualTo(200);
            assertThat(status(context, "resume")).isEqualTo(200);
        });
    }
}
