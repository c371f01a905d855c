package dev.jobqueue.internal.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.postgres.TestDatabase;
import java.sql.SQLException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Batches and flows whose next jobs the server cannot store for a while. */
class FullDiskIntegrationTests {

    private static final String FULL = """
            CREATE FUNCTION queue.is_full() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full';
            END
            $$;
            CREATE TRIGGER is_full BEFORE INSERT ON queue.job FOR EACH ROW EXECUTE FUNCTION queue.is_full()""";

    private final TestDatabase database = Session.database();

    @Test
    void loseNoCallback() throws Exception {
        try (Session session = Session.open(database)) {
            UUID batch = FlowLoad.openBatch(session);
            session.column("SELECT queue.add_members(?, ?::jsonb)", batch, FlowLoad.members(1));
            FlowLoad.seal(session, batch);
            FlowLoad.settle(session, false);
            resolveOnFullDisk(session);
            assertThat(FlowLoad.callbacks(session, batch)).containsExactlyInAnyOrder("finish 1", "success 1");
        }
    }

    @Test
    void loseNoStep() throws Exception {
        try (Session session = Session.open(database)) {
            UUID flow = session.<UUID>column("SELECT id FROM queue.publish_flow('f', ?::jsonb)", FlowLoad.DIAMOND)
                    .get(0);
            FlowLoad.settle(session, false);
            resolveOnFullDisk(session);
            while (FlowLoad.settle(session, false) > 0) {
                FlowLoad.resolveAll(session);
            }
            assertThat(session.<String>column("SELECT state FROM queue.find_flow(?)", flow))
                    .containsExactly("SUCCEEDED");
        }
    }

    /** What was put off because of it is due at once. */
    private static void resolveOnFullDisk(Session session) throws SQLException {
        session.execute(FULL);
        session.number("SELECT folded FROM queue.resolve()");
        session.execute("DROP TRIGGER is_full ON queue.job");
        session.execute("UPDATE queue.flow SET left_until = NULL");
        session.execute("UPDATE queue.flow_tick SET at = '-infinity'");
        FlowLoad.resolveAll(session);
    }
}
