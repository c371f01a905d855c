package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.dashboard.DashboardNode.Answer;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.schedule.JobSchedules;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;

class SchedulesApiIntegrationTests {

    private static final TestDatabase DATABASE = TestDatabase.create();

    private static DashboardNode node;
    private static JobSchedules schedules;

    @BeforeAll
    static void start() {
        node = DashboardNode.start(DATABASE, Shop.class, DashboardNode.WITHOUT_SECURITY);
        schedules = node.bean(JobSchedules.class);
    }

    @AfterAll
    static void stop() {
        node.close();
    }

    @Test
    void areDeletedIfNoStartBringsThemBack() throws Exception {
        schedules.set(ScheduleDefinition.of("acme/invoices", "invoice.run").cron("0 6 1 * *"));
        assertThat(act("delete", "acme/invoices").status()).isEqualTo(200);
        assertThat(schedules.find("acme/invoices")).isEmpty();
        assertThat(node.get("/api/audit")
                        .json()
                        .path("entries")
                        .path(0)
                        .path("action")
                        .asString())
                .isEqualTo("delete");
        assertThat(act("delete", "acme/invoices").status()).isEqualTo(404);

        Answer refused = act("delete", "nightly");
        assertThat(refused.status()).isEqualTo(422);
        assertThat(refused.body()).contains("pause it instead");
        assertThat(schedules.find("nightly")).isPresent();
    }

    private static Answer act(String action, String name) throws Exception {
        return node.post("/api/schedules/" + action, Map.of("name", name));
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Shop {

        @Bean
        ScheduleDefinition nightly() {
            return ScheduleDefinition.of("nightly", "report.build").cron("0 3 * * *");
        }
    }
}
