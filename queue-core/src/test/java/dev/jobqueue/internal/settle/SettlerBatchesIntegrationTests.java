package dev.jobqueue.internal.settle;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.jobqueue.internal.Uuids;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.handle.RunningJob;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.NodeMeter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** A batch of outcomes, all of which are there before the settler starts. */
@Timeout(120)
class SettlerBatchesIntegrationTests {

    private static final Logger logger = (Logger) LoggerFactory.getLogger(PostponedOutcomes.class);
    private static final TestDatabase database = CheckedQueue.create();
    private static final Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));

    private final JobsInFlight inFlight = new JobsInFlight();
    private final List<Integer> batches = new CopyOnWriteArrayList<>();

    /** Which snoozes were postponed and which runs were told, in order. */
    private final List<String> happened = new CopyOnWriteArrayList<>();

    private final Settler settler = new Settler(
            sql,
            inFlight,
            QueueEvents.of(new NodeMeter() {
                @Override
                public void settled(Duration took, int jobs) {
                    batches.add(jobs);
                }

                @Override
                public void ended(JobEvent.Ended run) {
                    happened.add(run.ending().name());
                }
            }),
            new FailureLog(FailureLog.Detail.LINE, System::nanoTime),
            () -> {});

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

    @Test
    void letsLockedSnoozesWaitWhileOtherRunsEnd() throws SQLException {
        List<RunningJob> snoozed = claimed(5);
        RunningJob completed = claimed(1).get(0);
        snoozed.forEach(job -> settler.accept(new Outcome.Snoozed(job, Duration.ofHours(1))));
        AppenderBase<ILoggingEvent> postponed = whenPostponed(() -> {
            if (happened.isEmpty()) {
                settler.accept(new Outcome.Completed(completed, null));
            }
            happened.add("postponed");
        });
        try (Connection stranger = database.connect()) {
            stranger.setAutoCommit(false);
            try (Statement statement = stranger.createStatement()) {
                for (RunningJob job : snoozed) {
                    statement.execute("SELECT queue.cancel('%s')".formatted(job.id()));
                }
            }
            settler.start();
            awaiting().until(() -> happened.contains("COMPLETED"));
            stranger.rollback();
        } finally {
            logger.detachAppender(postponed);
        }
        awaiting().until(inFlight::isEmpty);
        assertThat(happened.indexOf("COMPLETED"))
                .as("how many of the snoozes were tried first: %s", happened)
                .isLessThan(snoozed.size());
    }

    /** Runs the action on the settler's thread each time it logs that a job cannot be settled now. */
    private static AppenderBase<ILoggingEvent> whenPostponed(Runnable action) {
        AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent line) {
                action.run();
            }
        };
        appender.start();
        logger.addAppender(appender);
        return appender;
    }

    /** Publishes jobs and claims them. */
    private List<RunningJob> claimed(int count) {
        new PublishCalls(sql)
                .publish(
                        Stream.generate(() -> NewJobs.of(Uuids.next(), "test", "{}"))
                                .limit(count)
                                .toList(),
                        false);
        List<RunningJob> jobs = new ClaimCalls(sql)
                .claim(UUID.randomUUID(), Map.of("default", count), null).stream()
                        .map(job -> new RunningJob(job, false, null))
                        .toList();
        assertThat(jobs).hasSize(count);
        jobs.forEach(inFlight::add);
        return jobs;
    }
}
