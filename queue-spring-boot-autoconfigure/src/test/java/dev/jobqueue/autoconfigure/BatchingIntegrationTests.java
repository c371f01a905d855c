package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.Job;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobPublisher;
import dev.jobqueue.JobState;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.NodeMeter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Import;

/** Whatever comes up while a round trip is away shares the next one. */
class BatchingIntegrationTests {

    private final TestDatabase database = MigratedDatabase.create();
    private final JobRows rows = new JobRows(database);

    @Test
    void isNaturalForClaimsAndSettlements() {
        try (Node node = Node.start(database, Handlers.class)) {
            node.publisher()
                    .publishAll(IntStream.range(0, 2_000)
                            .mapToObj(i -> Job.of("quick", i))
                            .toList());
            rows.awaitCount(JobState.COMPLETED, "quick", 2_000);
            Counts counts = node.bean(Counts.class);
            await().untilAsserted(() -> assertThat(counts.settledJobs).hasValue(2_000));
            assertThat(counts.claims.get()).as("claims").isLessThan(1_000);
            assertThat(counts.settlements.get()).as("settlements").isLessThan(1_000);
        }
    }

    @Test
    void isNaturalForPublishersOutsideOfTransactions() throws Exception {
        try (Node node = Node.start(database, Nothing.class, "queue.worker.enabled=false")) {
            List<Thread> publishers = Stream.generate(() -> publishing(node.publisher()))
                    .limit(16)
                    .toList();
            try (Connection blocker = database.connect()) {
                blocker.setAutoCommit(false);
                lockJobs(blocker);
                publishers.forEach(Thread::start);
                await().until(() -> publishers.stream()
                                .filter(each -> each.getState() == Thread.State.WAITING)
                                .count()
                        >= publishers.size() / 2);
                blocker.rollback();
            }
            rows.awaitCount(JobState.PENDING, "shared", publishers.size());
            assertThat(rows.jdbc()
                            .sql("SELECT count(DISTINCT xmin::text) FROM queue.job WHERE type = 'shared'")
                            .query(Integer.class)
                            .single())
                    .as("transactions of %d callers", publishers.size())
                    .isLessThan(publishers.size());
            for (Thread publisher : publishers) {
                publisher.join();
            }
        }
    }

    private static Thread publishing(JobPublisher jobs) {
        return new Thread(() -> jobs.publish("shared", null), "publisher");
    }

    private static void lockJobs(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("LOCK TABLE queue.job IN EXCLUSIVE MODE");
        }
    }

    static class Nothing {}

    @Import(Counts.class)
    static class Handlers {

        @JobHandler("quick")
        void quick() {}
    }

    static class Counts implements NodeMeter {

        final AtomicInteger claims = new AtomicInteger();
        final AtomicInteger settlements = new AtomicInteger();
        final AtomicInteger settledJobs = new AtomicInteger();

        @Override
        public void claimed(Duration duration, int jobs) {
            claims.incrementAndGet();
        }

        @Override
        public void settled(Duration duration, int outcomes) {
            settlements.incrementAndGet();
            settledJobs.addAndGet(outcomes);
        }
    }
}
