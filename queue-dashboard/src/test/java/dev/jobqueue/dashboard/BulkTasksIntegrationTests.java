package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.Job;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.operate.JobAudit;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.aop.MethodBeforeAdvice;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;

class BulkTasksIntegrationTests {

    /** Or its page would wait for it for ever. */
    @Test
    void endWithAnError() throws Exception {
        try (DashboardNode node =
                DashboardNode.start(TestDatabase.create(), NoAudit.class, DashboardNode.WITHOUT_SECURITY)) {
            node.bean(JobPublisher.class).publish(Job.of("later", Map.of()).delay(Duration.ofHours(1)));
            String task = node.post("/api/jobs/actions", Map.of("q", "state:scheduled", "action", "cancel"))
                    .json()
                    .path("task")
                    .asString();
            await().atMost(Duration.ofSeconds(60))
                    .untilAsserted(() ->
                            assertThat(node.get("/api/tasks/" + task).body()).contains("FAILED", "on purpose"));
        }
    }

    /** Also to pages that were told meanwhile how it was before. */
    @Test
    void showWhatTheyDidAsSoonAsTheyAreDone() throws Exception {
        try (DashboardNode node = DashboardNode.local(
                TestDatabase.create(), "queue.dashboard.refresh=1m", "queue.worker.enabled=false")) {
            node.bean(JobPublisher.class)
                    .publishAll(Collections.nCopies(
                            20_000, Job.of("later", Map.of()).delay(Duration.ofHours(1))));
            assertThat(node.get("/api/jobs?q=state:scheduled").status()).isEqualTo(200);
            String task = node.post("/api/jobs/actions", Map.of("q", "state:scheduled", "action", "cancel"))
                    .json()
                    .path("task")
                    .asString();
            assertThat(node.get("/api/jobs?q=state:scheduled").status()).isEqualTo(200);
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> node.get("/api/tasks/" + task).body().contains("DONE"));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> node.get("/api/jobs?q=state:scheduled")
                            .json()
                            .path("jobs")
                            .isEmpty());
        }
    }

    static class NoAudit implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            if (!(bean instanceof JobAudit)) {
                return bean;
            }
            ProxyFactory proxy = new ProxyFactory(bean);
            proxy.addAdvice((MethodBeforeAdvice) (method, arguments, target) -> {
                throw new NoClassDefFoundError("on purpose");
            });
            return proxy.getProxy();
        }
    }
}
