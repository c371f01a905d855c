package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Three nodes and a schedule for every second; one of the nodes, in a process of its own, is killed halfway. */
class ScheduleClusterIntegrationTests {

    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int SECONDS = 15;

    private final TestDatabase database = TestDatabase.create();
    private final ApplicationContextRunner node = QueueApplication.on(database)
            .withPropertyValues("spring.application.name=cluster")
            .withBean(Ticker.class);

    @Test
    void firesOncePerDueTimeWhateverHappensToANode() {
        node.run(first -> {
            Process doomed = ClusterNode.start(database);
            try {
                node.run(second -> {
                    JdbcClient jdbc = first.getBean(JdbcClient.class);
                    await().atMost(PATIENCE)
                            .until(() -> count(jdbc, "SELECT count(*) FROM queue.worker WHERE dead_at IS NULL") == 3);
                    int before = fired(jdbc).size();
                    await().atMost(PATIENCE).until(() -> fired(jdbc).size() >= before + 5);
                    doomed.destroyForcibly().waitFor();
                    int after = fired(jdbc).size();
                    await().atMost(PATIENCE).until(() -> fired(jdbc).size() >= Math.max(after + 5, SECONDS));
                    assertOnePerSecond(fired(jdbc));
                });
            } finally {
                doomed.destroyForcibly();
            }
        });
    }

    private static void assertOnePerSecond(List<Instant> times) {
        assertThat(times).doesNotHaveDuplicates();
        Instant begin = times.get(0);
        for (int i = 0; i < times.size(); i++) {
            assertThat(times.get(i)).isEqualTo(begin.plusSeconds(i));
        }
    }

    /** The due times of all jobs there are, live, finished and dead. */
    private static List<Instant> fired(JdbcClient jdbc) {
        return jdbc
                .sql("SELECT (headers ->> 'schedule-time')::timestamptz FROM (SELECT headers FROM queue.live_job"
                        + " UNION ALL SELECT headers FROM queue.job_history"
                        + " UNION ALL SELECT headers FROM queue.dead_letter) AS j"
                        + " WHERE headers ->> 'schedule' = 'ticker' ORDER BY 1")
                .query(OffsetDateTime.class)
                .list()
                .stream()
                .map(OffsetDateTime::toInstant)
                .toList();
    }

    private static long count(JdbcClient jdbc, String sql) {
        return jdbc.sql(sql).query(Long.class).single();
    }
}
