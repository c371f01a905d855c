package dev.jobqueue.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.QueueFixture;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Flows of thousands of steps, which no statement may look at again and again. */
class FlowScaleIntegrationTests {

    private static final QueueFixture QUEUE = new QueueFixture();

    /** Claims, completes and resolves, each in a transaction of its own, until there is nothing to do. */
    private static final String WORK = """
            CREATE OR REPLACE PROCEDURE public.work() LANGUAGE plpgsql AS $$
            DECLARE
                taken record;
                did record;
            BEGIN
                LOOP
                    SELECT array_agg(id) AS ids, array_agg(lease) AS leases INTO taken
                    FROM queue.claim('018f0000-0000-7000-8000-000000000001', '{default}', '{1000}');
                    IF taken.ids IS NOT NULL THEN
                        PERFORM queue.complete_many(taken.ids, taken.leases);
                    END IF;
                    COMMIT;
                    SELECT * INTO did FROM queue.resolve();
                    COMMIT;
                    EXIT WHEN taken.ids IS NULL AND did.folded = 0;
                END LOOP;
            END $$""";

    @BeforeEach
    void reset() {
        QUEUE.reset();
    }

    @AfterEach
    void audit() throws Exception {
        FlowAudit.audit(QUEUE.database);
    }

    @Test
    void runsAChainOfTwoThousandSteps() throws SQLException {
        UUID chain = publish("""
                SELECT jsonb_agg(jsonb_build_object('name', 's' || i, 'job', '{"type": "s", "payload": {}}'::jsonb,
                    'after', CASE WHEN i > 1 THEN jsonb_build_array('s' || (i - 1)) END) ORDER BY i)
                FROM generate_series(1, 10000) AS i""");
        work();
        assertThat(doneOf(chain)).isEqualTo("SUCCEEDED 10000");
    }

    @Test
    void cancelsAndBringsBackAChainOfTenThousandStepsGivenBackwards() throws SQLException {
        UUID chain = publish("""
                SELECT jsonb_agg(jsonb_build_object('name', 's' || i, 'job', '{"type": "s", "payload": {}}'::jsonb,
                    'after', CASE WHEN i > 1 THEN jsonb_build_array('s' || (i - 1)) END) ORDER BY i DESC)
                FROM generate_series(1, 10000) AS i""");
        QUEUE.settlements.failAll(List.of(new Failure(QUEUE.claim().lease(), "broken", false)));
        work();
        assertThat(doneOf(chain)).isEqualTo("FAILED 0");
        assertThat(QUEUE.one(Long.class, "SELECT cancelled FROM queue.find_flow(?)", chain))
                .isEqualTo(9999);
        QUEUE.operations.replay(QUEUE.one(UUID.class, "SELECT id FROM queue.dead_letter"));
        QUEUE.one(Integer.class, "SELECT folded FROM queue.resolve()");
        assertThat(QUEUE.one(Long.class, "SELECT count(*) FROM queue.flow_step WHERE state = 'BLOCKED'"))
                .isEqualTo(9999);
        QUEUE.call("cancel_flow('%s')".formatted(chain));
        QUEUE.one(Integer.class, "SELECT folded FROM queue.resolve()");
        work();
        assertThat(doneOf(chain)).isEqualTo("CANCELLED 0");
    }

    @Test
    void fansOutToTenThousandStepsAndInAgain() throws SQLException {
        UUID fan = publish("""
                SELECT '[{"name": "a", "job": {"type": "a", "payload": {}}}]'::jsonb || jsonb_agg(
                    '{"group": "g", "after": ["a"], "job": {"type": "g", "payload": {}}}'::jsonb)
                    || '[{"name": "z", "after": ["g"], "job": {"type": "z", "payload": {}}}]'::jsonb
                FROM generate_series(1, 10000)""");
        work();
        assertThat(doneOf(fan)).isEqualTo("SUCCEEDED 10002");
    }

    private static UUID publish(String steps) {
        return QUEUE.one(UUID.class, "SELECT id FROM queue.publish_flow('large', (%s))".formatted(steps));
    }

    private static String doneOf(UUID flow) {
        return QUEUE.one(String.class, "SELECT state || ' ' || done FROM queue.find_flow(?)", flow);
    }

    private static void work() throws SQLException {
        try (Connection connection = QUEUE.database.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(WORK);
            statement.execute("CALL public.work()");
        }
    }
}
