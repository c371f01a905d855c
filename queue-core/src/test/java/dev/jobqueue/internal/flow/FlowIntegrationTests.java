package dev.jobqueue.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FlowIntegrationTests {

    private static final FlowQueue FLOWS = new FlowQueue();

    private static final String ORDER = """
            pay
            pack < pay
            label* < pack
            label* < pack
            label* < pack
            mail < label pay
            """;

    @BeforeEach
    void reset() {
        FLOWS.reset();
    }

    @AfterEach
    void audit() throws Exception {
        FlowAudit.audit(FLOWS.queue.database);
    }

    @Test
    void runsStepsAfterTheirParents() {
        UUID flow = FLOWS.flow(ORDER);
        assertThat(FLOWS.stepsOf(flow))
                .containsExactly(
                        "pay FREE",
                        "pack BLOCKED",
                        "label[0] BLOCKED",
                        "label[1] BLOCKED",
                        "label[2] BLOCKED",
                        "mail BLOCKED");
        FLOWS.runAll();
        assertThat(FLOWS.ran).containsExactly("pay", "pack", "label", "label", "label", "mail");
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
        assertThat(FLOWS.figuresOf(flow)).isEqualTo("6/6/0/0 round 1");
    }

    @Test
    void finishesAtOnceWithoutSteps() {
        UUID flow = FLOWS.queue.one(UUID.class, "SELECT id FROM queue.publish_flow('none', '[]')");
        FLOWS.resolve();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    @Test
    void keepsResultsForTheStepsThatFollowWhateverTheHistoryKeeps() {
        FLOWS.queue.call("configure(retention => '0')");
        UUID flow = FLOWS.flow(ORDER);
        FLOWS.deadly.add("mail");
        FLOWS.runAll();
        UUID mail = FLOWS.jobOf(flow, "mail");
        assertThat(FLOWS.queue.one(String.class, "SELECT queue.step_results(?)::text", mail))
                .isEqualTo("{\"pay\": {\"by\": \"pay\"}, \"label\": [{\"by\": \"label\"}, {\"by\": \"label\"},"
                        + " {\"by\": \"label\"}]}");
        assertThat(FLOWS.queue.one(String.class, "SELECT queue.step_results(?, '{pack,nobody,mail}')::text", mail))
                .isEqualTo("{\"mail\": null, \"pack\": {\"by\": \"pack\"}}");
        assertThat(FLOWS.queue.list(String.class, "SELECT queue.step_results(?)::text", UUID.randomUUID()))
                .containsExactly((String) null);
    }

    @Test
    void hasItsNameAndKeyForItselfUntilItFinishes() {
        UUID flow = FLOWS.flow("a", "key => '42'");
        assertThat(FLOWS.flow("a\nb", "key => '42'")).isEqualTo(flow);
        assertThat(FLOWS.stepsOf(flow)).containsExactly("a FREE");
        FLOWS.runAll();
        assertThat(FLOWS.flow("a", "key => '42'")).isNotEqualTo(flow);
    }

    @Test
    void keepsTheTimeOfAStepInTheTimeZoneOfWhoPublished() {
        UUID flow = FLOWS.queue.one(UUID.class, """
                SELECT p.id FROM (SELECT set_config('TimeZone', 'Pacific/Auckland', true) AS zone OFFSET 0) AS s
                CROSS JOIN LATERAL queue.publish_flow('times' || left(zone, 0), '[
                    {"name": "a", "job": {"type": "a", "payload": {}}},
                    {"name": "b", "after": ["a"],
                        "job": {"type": "b", "payload": {}, "run_at": "2090-01-01 12:00"}}]') AS p""");
        FLOWS.runAll();
        assertThat(FLOWS.queue.one(
                        Boolean.class,
                        "SELECT run_at = '2090-01-01 12:00 Pacific/Auckland' FROM queue.scheduled WHERE id = ?",
                        FLOWS.jobOf(flow, "b")))
                .isTrue();
    }

    @Test
    void countsTheDelayOfAStepFromWhenItIsFree() {
        UUID flow = FLOWS.queue.one(UUID.class, """
                SELECT id FROM queue.publish_flow('delays', '[{"name": "a", "job": {"type": "a", "payload": {}}},
                    {"name": "b", "after": ["a"], "job": {"type": "b", "payload": {}, "delay": "1 hour"}}]')""");
        FLOWS.runAll();
        assertThat(FLOWS.queue.one(
                        Boolean.class,
                        "SELECT run_at > clock_timestamp() + interval '59 minutes' FROM queue.scheduled WHERE id = ?",
                        FLOWS.jobOf(flow, "b")))
                .isTrue();
        FLOWS.queue.promoteAll();
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    @Test
    void keepsTheLimitsOfSteps() {
        FLOWS.queue.call("set_limit('one', running => 1)");
        UUID flow = FLOWS.queue.one(UUID.class, """
                SELECT id FROM queue.publish_flow('limited', (SELECT jsonb_agg(jsonb_build_object('group', 'g', 'job',
                    '{"type": "t", "payload": {}, "limits": {"one": "k"}}'::jsonb)) FROM generate_series(1, 3)))""");
        assertThat(FLOWS.runOnce()).isEqualTo(1);
        FLOWS.queue.call("remove_limit('one')");
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    @ParameterizedTest
    @CsvSource({
        "'a < c\nb < a\nc < b', a -> b -> c -> a",
        "'a < a', a -> a",
        "'a\nb < x', 'x'",
        "'a\na', 'a'",
        "'a*\na', 'a'",
        "'a < b\nb < c d\nc\nd < b', b -> d -> b"
    })
    void refusesStepsThatCannotBe(String steps, String named) {
        String call = "publish_flow('order', '%s')".formatted(StepsText.json(steps));
        FLOWS.queue
                .refuses(InvalidJobException.class, () -> FLOWS.queue.call(call))
                .hasMessageContaining("'" + named + "'");
    }

    @Test
    void takesStepsInAnyOrder() {
        UUID flow = FLOWS.flow("d < b c\nb < a\nc < a\na");
        FLOWS.runAll();
        assertThat(FLOWS.ran).startsWith("a").endsWith("d").hasSize(4);
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
    }

    @Nested
    class WhenAStepDies {

        private static final String BRANCHES = """
                bad
                child < bad
                grandchild < child
                cleanup < child RUN
                patient < bad WAIT
                other
                """;

        @Test
        void doesWithThoseThatFollowWhatTheySay() {
            FLOWS.deadly.add("bad");
            UUID flow = FLOWS.flow(BRANCHES, "on_death => '{\"type\": \"death\", \"payload\": {}}'");
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly(
                            "bad DEAD",
                            "child CANCELLED",
                            "grandchild CANCELLED",
                            "cleanup DONE",
                            "patient BLOCKED",
                            "other DONE");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("RUNNING");
            assertThat(FLOWS.callbacksOf(flow)).containsExactly("death 1");
            assertThat(why(flow, "patient")).contains("'bad' (DEAD)");
            assertThat(why(flow, "grandchild")).contains("CANCELLED");
        }

        @Test
        void bringsBackWhatFellWithItWhenItIsReplayed() {
            FLOWS.deadly.add("bad");
            UUID flow = FLOWS.flow(BRANCHES);
            FLOWS.runAll();
            FLOWS.queue.operations.replay(FLOWS.jobOf(flow, "bad"));
            FLOWS.resolve();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly(
                            "bad FREE",
                            "child BLOCKED",
                            "grandchild BLOCKED",
                            "cleanup DONE",
                            "patient BLOCKED",
                            "other DONE");
            FLOWS.deadly.clear();
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("6/6/0/0 round 1");
        }

        @ParameterizedTest
        @ValueSource(strings = {"purge(id)", "purge_jobs('{\"state\": \"DEAD\"}')"})
        void cancelsWhatWaitsForAReplayThatCannotBe(String purge) {
            FLOWS.deadly.add("bad");
            UUID flow = FLOWS.flow(
                    "bad\nother\npatient < bad other WAIT\nlast < patient RUN\nchild < bad\nheir < child WAIT");
            FLOWS.runAll();
            FLOWS.queue.execute("DO $$ BEGIN PERFORM queue.%s FROM queue.dead_letter; END $$".formatted(purge));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly(
                            "bad DEAD",
                            "other DONE",
                            "patient CANCELLED",
                            "last DONE",
                            "child CANCELLED",
                            "heir CANCELLED");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");
        }

        @Test
        void leavesCancelledWhatAnotherDeadParentKeepsFromRunning() {
            FLOWS.deadly.addAll(List.of("a", "b"));
            UUID flow = FLOWS.flow("a\nb\nboth < a b\nlast < both\nonly < a");
            FLOWS.runAll();
            FLOWS.deadly.remove("a");
            FLOWS.queue.operations.replay(FLOWS.jobOf(flow, "a"));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly("a DONE", "b DEAD", "both CANCELLED", "last CANCELLED", "only DONE");
            FLOWS.deadly.clear();
            FLOWS.queue.operations.replay(FLOWS.jobOf(flow, "b"));
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("5/5/0/0 round 3");
        }

        @Test
        void undoesWhatIsDoneTheLastFirst() {
            FLOWS.deadly.add("mail");
            UUID flow = FLOWS.flow(
                    "pay ~refund\npack ~unpack < pay\nnote < pack\nmail ~unmail < note",
                    "on_finish => '{\"type\": \"finish\", \"payload\": {}}'");
            FLOWS.runAll();
            assertThat(FLOWS.ran).containsExactly("pay", "pack", "note", "mail", "unpack", "refund", "finish");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");

            FLOWS.queue.operations.replay(FLOWS.jobOf(flow, "mail"));
            FLOWS.runAll();
            assertThat(FLOWS.ran).as("nothing is undone twice").endsWith("finish", "mail", "finish");
        }

        @Test
        void finishesAgainWhenACompensationThatDiedIsReplayed() {
            FLOWS.deadly.addAll(List.of("c", "undo-b"));
            UUID flow = FLOWS.flow(
                    "a ~undo-a\nb ~undo-b < a\nc < b", "on_finish => '{\"type\": \"finish\", \"payload\": {}}'");
            FLOWS.runAll();
            FLOWS.deadly.remove("undo-b");
            FLOWS.queue.operations.replay(FLOWS.jobOf(flow, "compensate:b"));
            FLOWS.runAll();
            assertThat(FLOWS.ran).containsExactly("a", "b", "c", "undo-b", "undo-a", "finish", "undo-b", "finish");
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("5/4/1/0 round 2");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");
        }

        @Test
        void undoesTheRestWhenACompensationDies() {
            FLOWS.deadly.addAll(List.of("c", "undo-b"));
            UUID flow = FLOWS.flow("a ~undo-a\nb ~undo-b < a\nc < b");
            FLOWS.runAll();
            assertThat(FLOWS.ran).containsExactly("a", "b", "c", "undo-b", "undo-a");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");
        }
    }

    @Test
    void isForgottenAfterTheRetention() {
        UUID flow = FLOWS.flow(ORDER);
        FLOWS.runAll();
        FLOWS.queue.upkeep.prune(1000);
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
        FLOWS.queue.execute("UPDATE queue.flow SET finished_at = finished_at - interval '8 days'");
        FLOWS.queue.upkeep.prune(1000);
        for (String table : List.of("flow", "flow_step", "flow_edge", "flow_result")) {
            assertThat(FLOWS.queue.one(Long.class, "SELECT count(*) FROM queue." + table))
                    .isZero();
        }
    }

    @Test
    void goesOnWhenHistoryIsPrunedInTheMiddle() {
        UUID flow = FLOWS.flow(ORDER);
        FLOWS.runOnce();
        FLOWS.resolve();
        FLOWS.runOnce();
        FLOWS.queue.execute("DELETE FROM queue.job_history");
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
        assertThat(FLOWS.queue.one(
                        String.class, "SELECT (queue.step_results(?) -> 'pay')::text", FLOWS.jobOf(flow, "mail")))
                .isEqualTo("{\"by\": \"pay\"}");
    }

    @Test
    void isShownAsAGraph() {
        UUID flow = FLOWS.flow("a\nb < a\nc < a");
        FLOWS.runOnce();
        FLOWS.resolve();
        assertThat(FLOWS.queue.one(String.class, "SELECT (queue.flow_graph(?) -> 'edges')::text", flow))
                .isEqualTo("[[1, 2], [1, 3]]");
        assertThat(FLOWS.queue.list(
                        String.class,
                        "SELECT n ->> 'state' FROM jsonb_array_elements(queue.flow_graph(?) -> 'nodes') AS n",
                        flow))
                .containsExactly("DONE", "FREE", "FREE");
        assertThat(FLOWS.queue.list(
                        String.class,
                        "SELECT name FROM queue.find_flows('{\"state\": \"RUNNING\"}') WHERE id IS NOT NULL"))
                .containsExactly("order");
    }

    @Test
    void isFoundByFilterWithItsBlockedSteps() {
        UUID flow = FLOWS.flow(ORDER);
        FLOWS.flow("other");
        assertThat(found(flow, "PENDING")).containsExactly("pay");
        assertThat(found(flow, "WAITING")).containsExactly("pack", "label", "label", "label", "mail");
        assertThat(FLOWS.queue.one(String.class, "SELECT state FROM queue.find_job(?)", FLOWS.jobOf(flow, "mail")))
                .isEqualTo("WAITING");
        FLOWS.runAll();
        assertThat(found(flow, "COMPLETED")).hasSize(6);
        assertThat(found(flow, "WAITING")).isEmpty();
    }

    private static List<String> found(UUID flow, String state) {
        return FLOWS.queue.list(
                String.class,
                "SELECT type FROM queue.find_jobs(jsonb_build_object('state', ?, 'flow', ?)) WHERE id IS NOT NULL",
                state,
                flow.toString());
    }

    private static String why(UUID flow, String step) {
        return FLOWS.queue.one(String.class, "SELECT message FROM queue.why(?)", FLOWS.jobOf(flow, step));
    }
}
