package dev.jobqueue.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class BatchIntegrationTests {

    private static final FlowQueue FLOWS = new FlowQueue();

    @BeforeEach
    void reset() {
        FLOWS.reset();
    }

    @AfterEach
    void audit() throws Exception {
        FlowAudit.audit(FLOWS.queue.database);
    }

    @Test
    void finishesWhenAllHaveEnded() {
        UUID batch = FLOWS.batch();
        FLOWS.add(batch, 3, "mail");
        FLOWS.add(batch, 2, "mail");
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("RUNNING");
        assertThat(FLOWS.callbacksOf(batch)).isEmpty();

        FLOWS.seal(batch);
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("SUCCEEDED");
        assertThat(FLOWS.figuresOf(batch)).isEqualTo("5/5/0/0 round 1");
        assertThat(FLOWS.callbacksOf(batch)).containsExactlyInAnyOrder("finish 1", "success 1");
    }

    @Test
    void finishesAtOnceWhenItIsEmpty() {
        UUID batch = FLOWS.batch();
        FLOWS.resolve();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("RUNNING");
        FLOWS.seal(batch);
        FLOWS.resolve();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("SUCCEEDED");
        assertThat(FLOWS.callbacksOf(batch)).containsExactlyInAnyOrder("finish 1", "success 1");
    }

    @Test
    void tellsTheFirstDeathOnce() {
        UUID batch = FLOWS.batch();
        FLOWS.add(batch, 2, "bad");
        FLOWS.add(batch, 1, "mail");
        FLOWS.deadly.add("bad");
        FLOWS.runAll();
        assertThat(FLOWS.callbacksOf(batch)).containsExactly("death 1");
        FLOWS.seal(batch);
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("FAILED");
        assertThat(FLOWS.callbacksOf(batch)).containsExactlyInAnyOrder("death 1", "finish 1");
    }

    @Test
    void opensAnotherRoundWhenADeadMemberIsReplayed() {
        UUID batch = FLOWS.batch();
        UUID bad = FLOWS.add(batch, 1, "bad").get(0);
        FLOWS.seal(batch);
        FLOWS.deadly.add("bad");
        FLOWS.runAll();
        FLOWS.queue.operations.replay(bad);
        FLOWS.runAll();
        assertThat(FLOWS.figuresOf(batch)).isEqualTo("1/0/1/0 round 2");
        FLOWS.deadly.clear();
        FLOWS.queue.operations.replay(bad);
        FLOWS.resolve();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("RUNNING");
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("SUCCEEDED");
        assertThat(FLOWS.callbacksOf(batch))
                .containsExactlyInAnyOrder("death 1", "finish 1", "finish 2", "finish 3", "success 3");
    }

    @Test
    void opensAnotherRoundForALateMember() {
        UUID batch = FLOWS.batch();
        FLOWS.seal(batch);
        FLOWS.runAll();
        FLOWS.add(batch, 1, "mail");
        FLOWS.runAll();
        assertThat(FLOWS.figuresOf(batch)).isEqualTo("1/1/0/0 round 2");
        assertThat(FLOWS.callbacksOf(batch)).containsExactlyInAnyOrder("finish 1", "success 1", "finish 2");
    }

    @Test
    void countsAMemberThatIsCancelledAsEnded() {
        UUID batch = FLOWS.batch();
        UUID member = FLOWS.add(batch, 2, "mail").get(0);
        FLOWS.seal(batch);
        FLOWS.queue.operations.cancel(member);
        FLOWS.runAll();
        assertThat(FLOWS.stateOf(batch)).isEqualTo("CANCELLED");
        assertThat(FLOWS.figuresOf(batch)).isEqualTo("2/1/0/1 round 1");
        assertThat(FLOWS.callbacksOf(batch)).containsExactly("finish 1");
    }

    @Test
    void hasItsNameAndKeyForItselfUntilItFinishes() {
        UUID batch = FLOWS.batch("key => 'may'");
        assertThat(FLOWS.batch("key => 'may'")).isEqualTo(batch);
        assertThat(FLOWS.batch("key => 'june'")).isNotEqualTo(batch);
        assertThat(FLOWS.queue.one(String.class, "SELECT outcome FROM queue.open_batch('news', 'may')"))
                .isEqualTo("EXISTING");
        FLOWS.seal(batch);
        FLOWS.runAll();
        UUID next = FLOWS.batch("key => 'may'");
        assertThat(next).isNotEqualTo(batch);

        FLOWS.add(batch, 1, "mail");
        FLOWS.runAll();
        assertThat(FLOWS.figuresOf(batch)).as("goes on beside the other").isEqualTo("1/1/0/0 round 2");
    }

    @Test
    void refusesWhatCannotBeAMember() {
        UUID batch = FLOWS.batch();
        String add = "add_members('%s', '[{\"type\": \"a\", \"payload\": {}, %s}]')";
        for (String bad : List.of("\"unique_key\": \"k\"", "\"id\": \"018f0000-0000-7000-8000-000000000001\"")) {
            FLOWS.queue.refuses(InvalidJobException.class, () -> FLOWS.queue.call(add.formatted(batch, bad)));
        }
        FLOWS.queue.refuses(
                JobNotFoundException.class, () -> FLOWS.queue.call("seal_batch('%s')".formatted(UUID.randomUUID())));
        FLOWS.queue
                .refuses(
                        InvalidJobException.class,
                        () -> FLOWS.queue.call("open_batch('b', on_finish => '{\"type\": \"a\"}')"))
                .hasMessageContaining("payload");
    }

    @Nested
    class WhenItIsCancelled {

        @Test
        void cancelsWhatWaitsAndAsksWhatRuns() {
            UUID batch = FLOWS.batch();
            UUID running = FLOWS.add(batch, 1, "mail").get(0);
            var lease = FLOWS.queue.claim().lease();
            FLOWS.add(batch, 2500, "mail");
            FLOWS.queue.list(
                    UUID.class,
                    "SELECT queue.add_members(?, '[{\"type\": \"late\", \"payload\": {}, \"delay\": \"1 day\"}]')",
                    batch);
            FLOWS.queue.call("cancel_flow('%s')".formatted(batch));
            FLOWS.resolve();
            assertThat(FLOWS.figuresOf(batch)).isEqualTo("2502/0/0/2501 round 1");
            assertThat(FLOWS.queue.job(running).get("cancel_requested_at")).isNotNull();
            FLOWS.seal(batch);
            FLOWS.queue.settlements.confirmCancel(lease);
            FLOWS.resolve();
            assertThat(FLOWS.stateOf(batch)).isEqualTo("CANCELLED");
        }

        @Test
        void isCancelledAlsoWithoutMembers() {
            UUID batch = FLOWS.batch();
            FLOWS.queue.call("cancel_flow('%s')".formatted(batch));
            FLOWS.seal(batch);
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(batch)).isEqualTo("CANCELLED");
            assertThat(FLOWS.callbacksOf(batch)).containsExactly("finish 1");
        }

        /** Its publisher may be dead. */
        @Test
        void isOverAlthoughNobodySealedIt() {
            UUID batch = FLOWS.batch("key => 'may'");
            FLOWS.add(batch, 2, "mail");
            FLOWS.queue.call("cancel_flow('%s')".formatted(batch));
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(batch)).isEqualTo("CANCELLED");
            assertThat(FLOWS.callbacksOf(batch)).containsExactly("finish 1");
            assertThat(FLOWS.batch("key => 'may'")).isNotEqualTo(batch);
        }

        @Test
        void cancelsWhatIsAddedLater() {
            UUID batch = FLOWS.batch();
            FLOWS.queue.call("cancel_flow('%s')".formatted(batch));
            FLOWS.resolve();
            UUID late = FLOWS.add(batch, 1, "mail").get(0);
            FLOWS.seal(batch);
            FLOWS.resolve();
            assertThat(FLOWS.queue.stateOf(late)).isEqualTo(JobState.CANCELLED);
            assertThat(FLOWS.stateOf(batch)).isEqualTo("CANCELLED");
        }

        @Test
        void cancelsBatchesWithinIt() {
            UUID outer = FLOWS.batch();
            UUID inner = FLOWS.batch("parent => '%s'".formatted(outer));
            FLOWS.add(inner, 3, "mail");
            FLOWS.seal(inner);
            FLOWS.seal(outer);
            FLOWS.queue.call("cancel_flow('%s')".formatted(outer));
            FLOWS.resolve();
            assertThat(FLOWS.stateOf(inner)).isEqualTo("CANCELLED");
            assertThat(FLOWS.stateOf(outer)).isEqualTo("CANCELLED");
        }
    }

    @Nested
    class WithinAnother {

        @Test
        void countsAsOneMember() {
            UUID outer = FLOWS.batch();
            UUID inner = FLOWS.batch("parent => '%s'".formatted(outer));
            FLOWS.add(outer, 1, "mail");
            UUID bad = FLOWS.add(inner, 2, "bad").get(0);
            FLOWS.seal(outer);
            FLOWS.runAll();
            assertThat(FLOWS.figuresOf(outer)).isEqualTo("2/1/0/0 round 1");
            FLOWS.seal(inner);
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(outer)).isEqualTo("SUCCEEDED");
            assertThat(FLOWS.queue.list(String.class, "SELECT state FROM queue.find_job(?)", bad))
                    .containsExactly("COMPLETED");
        }

        @Test
        void opensTheOuterOneAgainWhenItGoesOn() {
            UUID outer = FLOWS.batch();
            UUID inner = FLOWS.batch("parent => '%s'".formatted(outer));
            FLOWS.seal(outer);
            UUID bad = FLOWS.add(inner, 1, "bad").get(0);
            FLOWS.seal(inner);
            FLOWS.deadly.add("bad");
            FLOWS.runAll();
            assertThat(FLOWS.stateOf(outer)).isEqualTo("FAILED");
            FLOWS.deadly.clear();
            FLOWS.queue.operations.replay(bad);
            FLOWS.resolve();
            assertThat(FLOWS.stateOf(outer)).isEqualTo("RUNNING");
            FLOWS.runAll();
            assertThat(FLOWS.figuresOf(outer)).isEqualTo("1/1/0/0 round 2");
            assertThat(FLOWS.callbacksOf(outer))
                    .containsExactlyInAnyOrder("death 1", "finish 1", "finish 2", "success 2");
        }
    }
}
