package dev.jobqueue.internal.worker;

import static dev.jobqueue.internal.worker.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueEvents;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.NewJob;
import dev.jobqueue.internal.store.Publications;
import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.internal.store.Sql;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A batch of outcomes, all of which are there before the settler starts. */
@Timeout(120)
class SettlerBatchesIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));

    private final JobsInFlight inFlight = new JobsInFlight();
    private final List<Integer> batches = new CopyOnWriteArrayList<>();

    private final Settler settler = new Settler(
            sql,
            inFlight,
            new QueueEvents() {
                @Override
                public void settled(Duration took, int jobs) {
                    batches.add(jobs);
                }
            },
            new FailureLog(FailureLog.Detail.LINE, System::nanoTime),
            () -> {});

    @BeforeAll
    static void migrate() {
        LocalNode.migrate(database);
    }

    @AfterEach
    void close() throws InterruptedException {
        settler.close(1_000);
    }

    @Test
    void isBoundedByTheLengthOfItsResults() {
        String result = "\"" + "x".repeat(5_000_000) + "\"";
        claimed(3).forEach(job -> settler.accept(new Outcome.Completed(job, result)));
        settler.start();
        awaiting().until(() -> batches.stream().mapToInt(Integer::intValue).sum() == 3);
        assertThat(batches).containsExactly(2, 1);
    }

    /** Publishes jobs and claims them. */
    private List<RunningJob> claimed(int count) {
        new Publications(sql)
                .publish(
                        Stream.generate(() -> NewJob.of(Uuids.next(), "test", "{}"))
                                .limit(count)
                                .toList(),
                        false);
        List<RunningJob> jobs = new JobStore(sql)
                .claim(UUID.randomUUID(), Map.of("default", count), null).stream()
                        .map(job -> new RunningJob(job, false, null))
                        .toList();
        assertThat(jobs).hasSize(count);
        jobs.forEach(inFlight::add);
        return jobs;
    }
}
