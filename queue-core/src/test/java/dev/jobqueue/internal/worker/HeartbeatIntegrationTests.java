package dev.jobqueue.internal.worker;

import static dev.jobqueue.internal.worker.LocalNode.awaiting;
import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.internal.store.Sql;
import dev.jobqueue.internal.store.Upkeep;
import dev.jobqueue.internal.store.Workers;
import dev.jobqueue.internal.store.Workers.Node;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HeartbeatIntegrationTests {

    private static final Duration TTL = Duration.ofSeconds(1);

    private final TestDatabase database = TestDatabase.create();

    @Test
    void isSilentWhileTheThreadsOfItsNodeDoNotWorkAndGoesOnUnderANewId() throws InterruptedException {
        LocalNode.migrate(database);
        Sql sql = Sql.apart(database.dataSource(), new Schema("queue"));
        AtomicReference<@Nullable String> trouble = new AtomicReference<>();
        Heartbeat heartbeat = new Heartbeat(
                new Workers(sql),
                id -> new Node(id, null, null, null, null, null),
                new JobsInFlight(),
                Duration.ofMillis(50),
                () -> true,
                () -> false,
                () -> {},
                trouble::get);
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
}
