package dev.jobqueue.internal.node;

import static dev.jobqueue.internal.node.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.claim.WorkerIdentity;
import dev.jobqueue.internal.db.CheckedQueue;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.handle.JobsInFlight;
import dev.jobqueue.internal.handle.RunningJob;
import dev.jobqueue.internal.maintain.MaintainCalls;
import dev.jobqueue.internal.node.NodeCalls.Registration;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

class HeartbeatIntegrationTests {

    private final WorkerIdentity identity = new WorkerIdentity();

    private static final Duration TTL = Duration.ofSeconds(1);

    private final TestDatabase database = CheckedQueue.create();

    @Test
    void isSilentWhileTheThreadsOfItsNodeDoNotWorkAndGoesOnUnderANewId() throws InterruptedException {
        Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));
        AtomicReference<@Nullable String> trouble = new AtomicReference<>();
        Heartbeat heartbeat = heartbeat(sql, new JobsInFlight(), trouble::get);
        heartbeat.start();
        UUID first = identity.id();
        awaiting().until(() -> heartbeat.loop().state() == Loop.State.WAITING);

        trouble.set("thread 'queue-settler' is dead");
        MaintainCalls upkeep = new MaintainCalls(sql);
        awaiting().until(() -> {
            upkeep.rescue(TTL, TTL, 100);
            return heartbeat.sinceLastBeat().compareTo(TTL.multipliedBy(2)) > 0;
        });
        assertThat(identity.id()).isEqualTo(first);

        trouble.set(null);
        awaiting().until(() -> !identity.id().equals(first));
        awaiting().until(() -> heartbeat.sinceLastBeat().compareTo(TTL) < 0);
        heartbeat.close();
    }

    @Test
    void saysWhichJobsHaveNotBegunSoThatTheseLoseNoAttempt() throws InterruptedException {
        Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));
        JobsInFlight inFlight = new JobsInFlight();
        Heartbeat heartbeat = heartbeat(sql, inFlight, () -> null);
        new PublishCalls(sql)
                .publish(
                        List.of(
                                NewJobs.of(UUID.randomUUID(), "begun", "{}"),
                                NewJobs.of(UUID.randomUUID(), "waits", "{}")),
                        false);
        for (ClaimedJob job : new ClaimCalls(sql).claim(identity.id(), Map.of("default", 2), null)) {
            RunningJob run = new RunningJob(job, false, null);
            inFlight.add(run);
            assertThat(!job.type().equals("begun") || run.enter()).isTrue();
        }
        heartbeat.start();
        awaiting().until(() -> heartbeat.loop().state() == Loop.State.WAITING);
        heartbeat.close();

        MaintainCalls upkeep = new MaintainCalls(sql);
        List<String> rescued = new ArrayList<>();
        awaiting().until(() -> {
            upkeep.rescue(TTL, TTL, 100).jobs().forEach(job -> rescued.add(job.type()));
            return rescued.size() == 2;
        });
        assertThat(JdbcClient.create(database.dataSource())
                        .sql("SELECT type || ' ' || attempt FROM queue.live_job ORDER BY type")
                        .query(String.class)
                        .list())
                .containsExactly("begun 1", "waits 0");
    }

    private Heartbeat heartbeat(Sql sql, JobsInFlight inFlight, Supplier<@Nullable String> trouble) {
        return new Heartbeat(
                new NodeCalls(sql),
                inFlight,
                identity,
                new Heartbeat.Timing(Duration.ofMillis(50), () -> true),
                new Heartbeat.Watch() {
                    @Override
                    public Registration describe(UUID workerId) {
                        return new Registration(workerId, null, null, null, null, null);
                    }

                    @Override
                    public boolean isClaiming() {
                        return false;
                    }

                    @Override
                    public void gaveBack() {}

                    @Override
                    public @Nullable String trouble() {
                        return trouble.get();
                    }
                });
    }
}
