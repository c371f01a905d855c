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

/** What comes to a flow from outside: a cancel, a signal, the time, further steps. */
class FlowChangesIntegrationTests {

    private static final FlowQueue FLOWS = new FlowQueue();

    @BeforeEach
    void reset() {
        FLOWS.reset();
    }

    @AfterEach
    void audit() throws Exception {
        FlowAudit.audit(FLOWS.queue.database);
    }

    @Nested
    class WhenItIsCancelled {

        @Test
        void cancelsWhatHasNotEnded() {
            UUID flow = FLOWS.flow("pay\npack < pay\nlabel* < pack\nlabel* < pack\nlabel* < pack\nmail < label pay");
            FLOWS.runOnce();
            FLOWS.resolve();
            FLOWS.queue.call("cancel_flow('%s')".formatted(flow));
            FLOWS.runAll();
            assertThat(FLOWS.ran).containsExactly("pay");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("CANCELLED");
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("6/1/0/5 round 1");
        }

        @Test
        void winsOverATickThatIsOnItsWay() {
            UUID flow = FLOWS.flow("a\nb < a");
            FLOWS.runOnce();
            FLOWS.queue.call("cancel_flow('%s')".formatted(flow));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).containsExactly("a DONE", "b CANCELLED");
        }

        @Test
        void cancelsWhatWaitsForAStepThatWasCancelled() {
            UUID flow = FLOWS.flow("a\nb < a\nc < b WAIT\nd < a WAIT\nlast < c d RUN");
            FLOWS.queue.operations.cancel(FLOWS.jobOf(flow, "a"));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly("a CANCELLED", "b CANCELLED", "c CANCELLED", "d CANCELLED", "last DONE");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("CANCELLED");
        }

        @ParameterizedTest
        @CsvSource({"true, DONE", "false, CANCELLED"})
        void stopsACompensationThatRunsUnlessUndoingIsWhatIsAsked(boolean compensate, String undone) {
            FLOWS.deadly.add("c");
            UUID flow = FLOWS.flow("a ~undo-a\nb ~undo-b < a\nc < b");
            while (!FLOWS.stateOf(flow).equals("COMPENSATING")) {
                FLOWS.runOnce();
                FLOWS.resolve();
            }
            FLOWS.queue.call("cancel_flow('%s', compensate => %s)".formatted(flow, compensate));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).endsWith("c DEAD", "compensate:b " + undone, "compensate:a " + undone);
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");
        }

        @Test
        void undoesWhatIsDoneIfAsked() {
            UUID flow = FLOWS.flow("a ~undo\nb < a");
            FLOWS.runOnce();
            FLOWS.queue.call("cancel_flow('%s', compensate => true)".formatted(flow));
            FLOWS.runAll();
            assertThat(FLOWS.ran).containsExactly("a", "undo");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("CANCELLED");
        }

        @Test
        void undoesWhatIsDoneAlsoWhenSomeOfTheCancelIsLeft() {
            UUID flow = FLOWS.flow("a ~undo\nb < a\nc < a");
            FLOWS.runOnce();
            FLOWS.resolve();
            FLOWS.queue.call("cancel_flow('%s', compensate => true)".formatted(flow));
            String one = "SELECT folded FROM queue.resolve(1)";
            while (FLOWS.queue.one(Integer.class, one) > 0) {}
            FLOWS.runAll();
            assertThat(FLOWS.ran).containsExactly("a", "undo");
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("4/2/0/2 round 1");
        }

        @Test
        void cancelsAStepThatIsBlockedAndHasItsSignal() {
            UUID flow = FLOWS.flow("a\nok signal < a");
            FLOWS.queue.call("signal_flow('%s', 'ok')".formatted(flow));
            FLOWS.queue.one(String.class, "SELECT queue.cancel(?)", FLOWS.jobOf(flow, "ok"));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).containsExactly("a DONE", "ok CANCELLED");
        }

        @Test
        void cancelsASingleStepThatIsBlocked() {
            UUID flow = FLOWS.flow("a\nb < a\nc < b\nd < b RUN");
            UUID blocked = FLOWS.jobOf(flow, "b");
            assertThat(FLOWS.queue.one(String.class, "SELECT queue.cancel(?)", blocked))
                    .isEqualTo("WAITING");
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).containsExactly("a DONE", "b CANCELLED", "c CANCELLED", "d DONE");
            assertThat(FLOWS.queue.one(String.class, "SELECT queue.cancel(?)", blocked))
                    .isEqualTo("CANCELLED");
        }

        @Test
        void cancelsASingleStepThatBecameFreeMeanwhile() {
            UUID flow = FLOWS.flow("a\nb < a\nc < b");
            FLOWS.queue.one(String.class, "SELECT queue.cancel(?)", FLOWS.jobOf(flow, "b"));
            FLOWS.queue.execute("UPDATE queue.flow_tick SET at = clock_timestamp() + interval '1 hour'");
            FLOWS.runOnce();
            FLOWS.resolve();
            FLOWS.queue.execute("UPDATE queue.flow_tick SET at = '-infinity'");
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).containsExactly("a DONE", "b CANCELLED", "c CANCELLED");
        }
    }

    @Nested
    class WaitingForTheOutside {

        @Test
        void goesOnWithTheFirstSignal() {
            UUID flow = FLOWS.flow("ask\nok signal < ask\nmail < ok");
            assertThat(signal(flow, "{\"by\": \"Ann\"}")).as("early").isTrue();
            assertThat(signal(flow, "{\"by\": \"Ben\"}")).isFalse();
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
            assertThat(FLOWS.queue.one(String.class, "SELECT queue.step_results(?)::text", FLOWS.jobOf(flow, "mail")))
                    .isEqualTo("{\"ok\": {\"by\": \"Ann\"}}");
            assertThat(signal(flow, "{}")).isFalse();
            FLOWS.runAll();
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("3/3/0/0 round 1");
            assertThat(FLOWS.queue.one(Integer.class, "SELECT count(*)::int FROM queue.flow_signal"))
                    .as("only the one that counts is kept")
                    .isOne();
        }

        @Test
        void refusesASignalThatIsLongerThanAResultMayBe() {
            UUID flow = FLOWS.flow("ok signal");
            String text = "signal_flow('%s', 'ok', to_jsonb(repeat('x', %d)))";
            FLOWS.queue
                    .refuses(InvalidJobException.class, () -> FLOWS.queue.call(text.formatted(flow, 8388607)))
                    .hasMessageContaining("8388608 bytes");
            FLOWS.queue.call(text.formatted(flow, 8388606));
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
        }

        @Test
        void isDeadWhenNoSignalCameInTime() {
            UUID flow = FLOWS.flow("ok signal 1 hour\nyes < ok\nno < ok RUN");
            assertThat(why(flow, "ok")).contains("signal 'ok'");
            FLOWS.runAll();
            assertThat(FLOWS.queue.one(
                            Boolean.class,
                            "SELECT next_at > clock_timestamp() + interval '59 minutes' FROM queue.resolve()"))
                    .isTrue();
            letTimePass();
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).containsExactly("ok DEAD", "yes CANCELLED", "no DONE");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");
        }

        @Test
        void cancelsWhatWaitsForASignalThatDidNotCome() {
            UUID flow = FLOWS.flow("ok signal 1 hour\nother\nyes < ok WAIT\nlast < yes RUN");
            FLOWS.runAll();
            letTimePass();
            FLOWS.runAll();
            FLOWS.queue.list(UUID.class, "SELECT queue.add_steps(?, ?::jsonb)", flow, StepsText.json("late < ok WAIT"));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly("ok DEAD", "other DONE", "yes CANCELLED", "last DONE", "late CANCELLED");
            assertThat(FLOWS.stateOf(flow)).isEqualTo("FAILED");
        }

        @Test
        void goesOnWhenTheTimeHasCome() {
            UUID flow = FLOWS.flow("a\nnap timer 1 hour < a\nb < nap");
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow)).containsExactly("a DONE", "nap FREE", "b BLOCKED");
            assertThat(why(flow, "nap")).contains("its time");
            letTimePass();
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(flow)).isEqualTo("SUCCEEDED");
        }

        @Test
        void forgetsTimersOfAFlowThatIsCancelled() {
            UUID flow = FLOWS.flow("nap timer 1 hour\nok signal 1 hour\nb < nap ok");
            FLOWS.queue.call("cancel_flow('%s')".formatted(flow));
            FLOWS.resolve();
            assertThat(FLOWS.stateOf(flow)).isEqualTo("CANCELLED");
            letTimePass();
            FLOWS.runAll();
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("3/0/0/3 round 1");
        }

        @Test
        void refusesASignalThatNobodyWaitsFor() {
            UUID flow = FLOWS.flow("a\nok signal < a");
            FLOWS.queue
                    .refuses(
                            InvalidJobException.class,
                            () -> FLOWS.queue.call("signal_flow('%s', 'okay')".formatted(flow)))
                    .hasMessageContaining("(ok)");
        }

        private static boolean signal(UUID flow, String payload) {
            return FLOWS.queue.one(Boolean.class, "SELECT queue.signal_flow(?, 'ok', ?::jsonb)", flow, payload);
        }

        private static void letTimePass() {
            FLOWS.queue.execute("UPDATE queue.flow_tick SET at = at - interval '1 hour' WHERE at > '-infinity'");
        }
    }

    @Nested
    class WhenStepsAreAdded {

        @Test
        void runsThemAfterStepsThatAreThere() {
            UUID flow = FLOWS.flow("split\nend < split");
            FLOWS.queue.list(
                    UUID.class,
                    "SELECT queue.add_steps(?, ?::jsonb)",
                    flow,
                    StepsText.json("part* < split\npart* < split\njoin < part end"));
            FLOWS.runAll();
            assertThat(FLOWS.ran).startsWith("split").endsWith("join").hasSize(5);
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("5/5/0/0 round 1");
        }

        @Test
        void cancelsThemAfterAStepThatIsDead() {
            UUID flow = FLOWS.flow("bad\nother");
            FLOWS.deadly.add("bad");
            FLOWS.runAll();
            FLOWS.queue.list(
                    UUID.class,
                    "SELECT queue.add_steps(?, ?::jsonb)",
                    flow,
                    StepsText.json("after < bad\nfar < after\nanyway < bad RUN\nnext < other"));
            FLOWS.runAll();
            assertThat(FLOWS.stepsOf(flow))
                    .containsExactly(
                            "bad DEAD", "other DONE", "after CANCELLED", "far CANCELLED", "anyway DONE", "next DONE");
            assertThat(FLOWS.figuresOf(flow)).isEqualTo("6/3/1/2 round 2");
        }

        @Test
        void refusesNamesThatAreTaken() {
            UUID flow = FLOWS.flow("a\ng*");
            for (String taken : List.of("a", "g", "a*")) {
                FLOWS.queue.refuses(
                        InvalidJobException.class,
                        () -> FLOWS.queue.call("add_steps('%s', '%s')".formatted(flow, StepsText.json(taken))));
            }
        }
    }

    private static String why(UUID flow, String step) {
        return FLOWS.queue.one(String.class, "SELECT message FROM queue.why(?)", FLOWS.jobOf(flow, step));
    }
}
