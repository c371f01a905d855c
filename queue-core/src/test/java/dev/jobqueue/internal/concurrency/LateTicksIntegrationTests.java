package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Ticks of batches that commit while a resolver looks for some that it may take. */
class LateTicksIntegrationTests {

    /** Lets a resolver wait after each try to take ticks, as long as somebody has the lock. */
    private static final String WAIT_AFTER_TAKING = """
            CREATE FUNCTION queue.internal_take_ticks(tids tid[], flows uuid[], clock timestamptz)
            RETURNS queue.flow_tick[] LANGUAGE plpgsql AS $$
            DECLARE
                taken queue.flow_tick[] := original.internal_take_ticks(tids, flows, clock);
            BEGIN
                PERFORM pg_advisory_xact_lock_shared(77);
                RETURN taken;
            END
            $$""";

    private static final String WAITING =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 77 AND NOT granted";

    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final TestDatabase database = Session.database();

    /**
     * A resolver finds the flow in the hands of another one, which counts the end of the first member, and looks
     * further. Meanwhile a member is there that was being added all the time, and then the second member ends: the
     * tick of that must not be counted without the one of the new member.
     */
    @Test
    void areNotOvertakenByThoseThatDependOnThem() throws Exception {
        try (Session session = Session.open(database);
                Session adder = Session.open(database);
                Session holder = Session.open(database);
                Session resolver = Session.open(database)) {
            UUID batch = FlowLoad.openBatch(session);
            session.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(2));
            FlowLoad.seal(session, batch);
            FlowLoad.resolveAll(session);
            List<String> pairs = FlowLoad.claimed(session);
            adder.execute("BEGIN");
            adder.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(1));
            FlowLoad.complete(session, pairs.get(0));
            holder.execute("BEGIN");
            assertThat(holder.number("SELECT folded FROM queue.resolve()")).isOne();
            session.execute("CREATE SCHEMA original");
            session.execute("ALTER FUNCTION queue.internal_take_ticks(tid[], uuid[], timestamptz) SET SCHEMA original");
            session.execute(WAIT_AFTER_TAKING);
            session.execute("SELECT pg_advisory_lock(77)");

            CompletableFuture<Void> resolving = CompletableFuture.runAsync(() -> resolve(resolver));
            await().atMost(PATIENCE).until(() -> resolving.isDone() || session.number(WAITING) == 1);
            adder.execute("COMMIT");
            FlowLoad.complete(session, pairs.get(1));
            holder.execute("COMMIT");
            session.execute("SELECT pg_advisory_unlock(77)");
            resolving.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            FlowLoad.resolveAll(session);
            assertThat(FlowLoad.callbacks(session, batch)).isEmpty();
            FlowLoad.settle(session, false);
            FlowLoad.resolveAll(session);
            assertThat(FlowLoad.callbacks(session, batch)).containsExactlyInAnyOrder("finish 1", "success 1");
        }
    }

    private static void resolve(Session session) {
        try {
            session.number("SELECT folded FROM queue.resolve()");
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }
}
