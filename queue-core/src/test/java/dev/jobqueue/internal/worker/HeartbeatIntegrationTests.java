package dev.jobqueue.internal.worker;

import static dev.jobqueue.internal.worker.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.store.ClaimedJob;
import dev.jobqueue.internal.store.JobStore;
import dev.jobqueue.internal.store.NewJob;
import dev.jobqueue.internal.store.Publications;
import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.internal.store.Sql;
import dev.jobqueue.internal.store.Upkeep;
import dev.jobqueue.internal.store.Workers;
import dev.jobqueue.internal.store.Workers.Node;
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

    private static final Duration TTL = Duration.ofSeconds(1);

    private final TestDatabase database = TestDatabase.create();

    @Test
    void isSilentWhileTheThreadsOfItsNodeDoNotWorkAndGoesOnUnderANewId() throws InterruptedException {
        LocalNode.migrate(database);
        Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));
        AtomicReference<@Nullable String> trouble = new AtomicReference<>();
        Heartbeat heartbeat = heartbeat(sql, new JobsInFlight(), trouble::get);
        heartbeat.start();
        UUID first = heartbeat.workerId();
        awaiting().until(() -> heartbeat.loop().state() == Loop.State.WAITING);

        trouble.set("thread 'queue-settler' is dead");
        Upkeep upkeep = new Upkeep(sql);
        awaiting().until(() -> {
            upkeep.rescue(TTL, TTL, 100);
            return heartbeat.sinceLastBeat().compareTo(TTL.multipliedBy(2)) > 0;
        });
        assertThat(heartbeat.workerId()).isEqualTo(first);

        trouble.set(null);
        awaiting().until(() -> !heartbeat.workerId().equals(first));
        awaiting().until(() -> heartbeat.sinceLastBeat().compareTo(TTL) < 0);
        heartbeat.close();
    }

    @Test
    void saysWhichJobsHaveNotBegunSoThatTheseLoseNoAttempt() throws InterruptedException {
        LocalNode.migrate(database);
        Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));
        JobsInFlight inFlight = new JobsInFlight();
        Heartbeat heartbeat = heartbeat(sql, inFlight, () -> null);
        new Publications(sql)
                .publish(
                        List.of(
                                NewJob.of(UUID.randomUUID(), "begun", "{}"),
                                NewJob.of(UUID.randomUUID(), "waits", "{}")),
                        false);
        for (ClaimedJob job : new JobStore(sql).claim(heartbeat.workerId(), Map.of("default", 2), null)) {
            RunningJob run = new RunningJob(job, false, null);
            inFlight.add(run);
            assertThat(!job.type().equals("begun") || run.enter()).isTrue();
        }
        heartbeat.start();
        awaiting().until(() -> heartbeat.loop().state() == Loop.State.WAITING);
        heartbeat.close();

        Upkeep upkeep = new Upkeep(sql);
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

    private static Heartbeat heartbeat(Sql sql, JobsInFlight inFlight, Supplier<@Nullable String> trouble) {
        return new Heartbeat(
                new Workers(sql),
                id -> new Node(id, null, null, null, null, null),
                inFlight,
                Duration.ofMillis(50),
                () -> true,
                () -> false,
                () -> {},
                trouble);
    }
}
