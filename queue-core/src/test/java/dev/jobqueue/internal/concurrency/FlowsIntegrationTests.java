package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.internal.flow.FlowAudit;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Batches and flows while many work on them at once, and while whoever resolves them is killed. */
class FlowsIntegrationTests {

    private final TestDatabase database = Session.database();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void publishesEachCallbackOnceWhereverTheResolverIsKilled(boolean takesSteps) throws Exception {
        try (Session session = Session.open(database)) {
            session.execute(FlowLoad.KILLER);
            session.execute(FlowLoad.KILL_AT_EACH_STATEMENT);
            UUID batch = FlowLoad.openBatch(session);
            session.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(2));
            FlowLoad.seal(session, batch);
            UUID flow = session.<UUID>column("SELECT id FROM queue.publish_flow('f', ?::jsonb)", FlowLoad.DIAMOND)
                    .get(0);
            int kills = 0;
            for (int round = 0; round < 5; round++) {
                FlowLoad.settle(session, true);
                kills += resolveAndDie(session, takesSteps);
            }
            assertThat(kills).isGreaterThan(20);
            assertThat(FlowLoad.callbacks(session, batch)).containsExactly("death 1", "finish 1");
            assertThat(session.<String>column("SELECT state FROM queue.find_flow(?)", flow))
                    .containsExactly("SUCCEEDED");
            FlowAudit.audit(database);
        }
    }

    /** Lets one resolver after another die one statement later than the last, until one comes through. */
    private int resolveAndDie(Session session, boolean takesSteps) throws SQLException {
        for (int statement = 1; ; statement++) {
            List<String> before = session.column(FlowLoad.EVERYTHING);
            try (Session victim = Session.open(database)) {
                victim.execute("SELECT set_config('test.lives', ?, false)", String.valueOf(statement));
                if (takesSteps) {
                    for (String pair : FlowLoad.take(victim, session.workerId(), 1000)) {
                        FlowLoad.complete(session, pair);
                    }
                } else {
                    victim.number("SELECT folded FROM queue.resolve()");
                }
                return statement - 1;
            } catch (SQLException ex) {
                assertThat(ex.getSQLState()).isIn("57P01", "08006");
                assertThat(session.<String>column(FlowLoad.EVERYTHING)).isEqualTo(before);
            }
        }
    }

    @Test
    void countsMembersThatAreAddedWhileTheLastOtherOneSettles() throws Exception {
        try (Session session = Session.open(database)) {
            for (int i = 0; i < 40; i++) {
                UUID batch = FlowLoad.openBatch(session);
                session.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(2));
                FlowLoad.seal(session, batch);
                List<String> pairs = FlowLoad.claimed(session);
                CountDownLatch settling = new CountDownLatch(2);
                Race.run(database, 4, (racer, number) -> {
                    if (number < 2) {
                        if (number == 1) {
                            racer.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(1));
                        }
                        FlowLoad.complete(racer, pairs.get(number));
                        settling.countDown();
                    }
                    do {
                        racer.column("SELECT folded FROM queue.resolve()");
                    } while (settling.getCount() > 0);
                    return number;
                });
                FlowLoad.settle(session, false);
                FlowLoad.resolveAll(session);
                assertThat(FlowLoad.callbacks(session, batch)).containsExactlyInAnyOrder("finish 1", "success 1");
                FlowLoad.settle(session, false);
            }
            FlowAudit.audit(database);
        }
    }

    @Test
    void keepsAllPromisesUnderLoadWhileBackendsAreKilled() throws Exception {
        FlowLoad load = new FlowLoad(database);
        load.run(6_000);
        try (Session session = Session.open(database)) {
            load.finish(session);
            FlowAudit.audit(database);
            assertThat(session.<String>column(FlowLoad.WRONG_CALLBACKS)).isEmpty();
            assertThat(session.number("SELECT count(*) FROM queue.flow WHERE sealed AND finished_at IS NULL"))
                    .isZero();
            assertThat(load.flows()).isGreaterThan(20);
            assertThat(load.kills()).isGreaterThan(5);
        }
    }

    @Test
    void doesNotWaitForWhoeverHoldsAFlowOrAJob() throws Exception {
        try (Session session = Session.open(database);
                Session other = Session.open(database)) {
            UUID batch = FlowLoad.openBatch(session);
            session.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(1));
            FlowLoad.seal(session, batch);
            other.execute("BEGIN");
            other.execute("SELECT FROM queue.flow WHERE id = ? FOR UPDATE", batch);
            session.execute("SET statement_timeout = '5s'");
            assertThat(session.<Boolean>column("SELECT more AND folded = 0 FROM queue.resolve()"))
                    .containsExactly(true);
            FlowLoad.settle(session, false);
            other.execute("ROLLBACK");

            other.execute("BEGIN");
            session.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(1));
            other.execute("SELECT FROM queue.job FOR UPDATE");
            session.column("SELECT queue.cancel_flow(?)", batch);
            FlowLoad.resolveAll(session);
            other.execute("ROLLBACK");
            session.execute("UPDATE queue.flow_tick SET at = '-infinity'");
            FlowLoad.resolveAll(session);
            assertThat(session.<String>column("SELECT state FROM queue.find_flow(?)", batch))
                    .containsExactly("CANCELLED");
            FlowAudit.audit(database);
        }
    }

    @Test
    void staysQuickWhileSomebodyHoldsASnapshotAndMissesNobodyWhoCommitsLate() throws Exception {
        try (Session session = Session.open(database);
                Session holder = Session.open(database);
                Session late = Session.open(database)) {
            UUID batch = FlowLoad.openBatch(session);
            holder.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
            holder.column("SELECT count(*) FROM queue.flow");
            late.execute("BEGIN");
            late.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(3));
            for (int i = 0; i < 15; i++) {
                session.execute("SELECT count(queue.seal_batch(?)) FROM generate_series(1, 1000)", batch);
                FlowLoad.resolveAll(session);
            }
            FlowLoad.seal(session, batch);
            FlowLoad.resolveAll(session);
            assertThat(session.number("SELECT count(*) FROM queue.flow_mark")).isEqualTo(1);
            long pages = session.buffers("SELECT folded FROM queue.resolve()");
            assertThat(pages).isLessThan(400);

            late.execute("COMMIT");
            FlowLoad.resolveAll(session);
            assertThat(session.number("SELECT total FROM queue.find_flow(?)", batch))
                    .isEqualTo(3);
            FlowLoad.settle(session, false);
            FlowLoad.resolveAll(session);
            assertThat(FlowLoad.callbacks(session, batch)).contains("finish 2");
            holder.execute("ROLLBACK");
            FlowAudit.audit(database);
        }
    }

    /** A session keeps the plans that it made when the tables were nearly empty. */
    @Test
    void findsEachStepOfALargeFlowAtOnceWithPlansOfASmallOne() throws Exception {
        String children = "{\"group\": \"b\", \"after\": [\"a\"], \"job\": {\"type\": \"b\", \"payload\": {}}}";
        try (Session session = Session.open(database)) {
            session.column("SELECT id FROM queue.publish_flow('small', ?::jsonb)", FlowLoad.DIAMOND);
            FlowLoad.settle(session, false);
            FlowLoad.resolveAll(session);
            UUID flow = session.<UUID>column("""
                    SELECT id FROM queue.publish_flow('large', '[{"name": "a", "job": {"type": "a", "payload": {}}}]'
                        || (SELECT jsonb_agg(?::jsonb) FROM generate_series(1, 2000)))""", children).get(0);
            while (session.number("SELECT count(*) FROM queue.job WHERE flow = ? AND type = 'a'", flow) > 0) {
                FlowLoad.settle(session, false);
            }
            assertThat(session.buffers("SELECT folded FROM queue.resolve()")).isLessThan(200_000);
            assertThat(session.number("SELECT count(*) FROM queue.job WHERE flow = ?", flow))
                    .isEqualTo(2000);
        }
    }

    @Test
    void needsReadCommittedIfThereIsAnythingToDo() throws Exception {
        try (Session session = Session.open(database)) {
            session.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
            session.execute("SELECT queue.resolve()");
            session.execute("SELECT queue.seal_batch(id) FROM queue.open_batch('b')");
            assertThatThrownBy(() -> session.column("SELECT folded FROM queue.resolve()"))
                    .hasMessageContaining("read committed");
        }
    }
}
