package dev.jobqueue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.autoconfigure.ObservedApplication;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.postgres.TestDatabase;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What Spring Security and Boot do with the endpoint as long as an application says nothing of its own. */
class DefaultSecurityIntegrationTests {

    private static UUID publish(WebNode node) {
        return node.context
                .getBean(JobPublisher.class)
                .publish(Job.of("stray", Map.of("secret", "s3cret")).header("tenant", "t1"));
    }

    @Test
    void letsUsersLookButRefusesToActWithoutACsrfToken() throws Exception {
        try (WebNode node = WebNode.start(
                TestDatabase.create(),
                "spring.security.user.name=somebody",
                "spring.security.user.password=secret",
                "queue.worker.enabled=false",
                "queue.endpoint.show-payloads=when-authorized",
                "management.endpoint.queues.access=unrestricted")) {
            UUID job = publish(node);
            assertThat(node.get("").status()).isEqualTo(401);
            assertThat(node.getAs("somebody", "").status()).isEqualTo(200);
            // without queue.endpoint.roles, whoever is authenticated is authorized
            assertThat(node.getAs("somebody", "/job/" + job).body()).contains("s3cret", "tenant");
            assertThat(node.postAs("somebody", "/job/" + job + "/cancel", "{}").status())
                    .isIn(401, 403);
            assertThat(node.context.getBean(JobOperations.class).find(job))
                    .hasValueSatisfying(found -> assertThat(found.state()).isEqualTo(JobState.PENDING));
        }
    }

    @Test
    void isThereOnlyIfExposedAndAccessible() {
        ApplicationContextRunner application = ObservedApplication.on(TestDatabase.create())
                .withConfiguration(AutoConfigurations.of(QueuesEndpointAutoConfiguration.class))
                .withPropertyValues("queue.worker.enabled=false");
        application.run(context -> assertThat(context).doesNotHaveBean(QueuesEndpoint.class));
        ApplicationContextRunner exposed =
                application.withPropertyValues("management.endpoints.web.exposure.include=queues");
        exposed.run(context -> assertThat(context).hasSingleBean(QueuesEndpoint.class));
        exposed.withPropertyValues("management.endpoint.queues.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(QueuesEndpoint.class));
    }

    @Test
    void showsNothingWhenAuthorizedToWhoeverIsNotAuthenticated() throws Exception {
        try (WebNode node = WebNode.start(
                TestDatabase.create(),
                WebNode.WITHOUT_SECURITY,
                "queue.worker.enabled=false",
                "queue.endpoint.show-payloads=when-authorized")) {
            assertThat(node.get("/job/" + publish(node)).body())
                    .contains("stray")
                    .doesNotContain("s3cret", "tenant");
        }
    }
}
