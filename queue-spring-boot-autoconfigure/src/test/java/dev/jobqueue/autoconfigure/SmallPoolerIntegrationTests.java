package dev.jobqueue.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.PgBouncer;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A pool that is larger than what a pooler behind it has: the pool cannot know that it gives too much. */
class SmallPoolerIntegrationTests {

    private static final int SESSIONS = 2;

    @Test
    void letsTransactionalHandlersReportWhileTheyHoldAllItsSessions() {
        assumeTrue(PgBouncer.isInstalled(), PgBouncer.MISSING);
        TestDatabase database = TestDatabase.create();
        JobRows rows = new JobRows(database);
        try (PgBouncer bouncer = PgBouncer.start(database, "transaction", SESSIONS);
                Node node = Node.start(
                        bouncer.database(),
                        Handlers.class,
                        "queue.listener.enabled=false",
                        "queue.worker.slots=" + SESSIONS)) {
            List<UUID> ids = node.publisher().publishAll(List.of(Job.of("report", null), Job.of("report", null)));
            rows.await(JobState.COMPLETED, ids.toArray(UUID[]::new));
            assertThat(rows.jdbc()
                            .sql("SELECT concat_ws(' ', kind, percent, stage, message) FROM queue.job_event"
                                    + " WHERE job_id = ? ORDER BY number")
                            .param(ids.get(0))
                            .query(String.class)
                            .list())
                    .containsExactly("PROGRESS 50 half", "LOG almost there");
        }
    }

    static class Handlers {

        private final CyclicBarrier allSessionsAreHeld = new CyclicBarrier(SESSIONS);
        private final JdbcClient jdbc;

        Handlers(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @JobHandler(value = "report", transactional = true, maxAttempts = 1)
        void report(JobContext job) throws Exception {
            jdbc.sql("SELECT 1").query(Integer.class).single();
            allSessionsAreHeld.await(30, TimeUnit.SECONDS);
            job.progress(50, "half");
            job.extend(Duration.ofMinutes(5));
            job.log("almost there");
        }
    }
}
