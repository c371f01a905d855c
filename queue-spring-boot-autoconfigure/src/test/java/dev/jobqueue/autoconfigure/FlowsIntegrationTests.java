package dev.jobqueue.autoconfigure;

import static dev.jobqueue.autoconfigure.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Flow;
import dev.jobqueue.From;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import dev.jobqueue.JobContext;
import dev.jobqueue.JobHandler;
import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.OnParentDead;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.postgres.TestDatabase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

class FlowsIntegrationTests {

    private static final TestDatabase database = TestDatabase.create();
    private static final FlowRows flows = new FlowRows(database);
    private static final Node node = Node.start(database, Shop.class);

    private final Shop shop = node.bean(Shop.class);

    @AfterAll
    static void stop() {
        node.close();
    }

    @BeforeEach
    void forget() {
        shop.done.clear();
    }

    private static Flow order(Object key) {
        return Flow.of("order", key)
                .step("pay", new Pay(7))
                .step("pack", Job.of("pack", null))
                .after("pay")
                .each("label", List.of("a", "b", "c"), Label::new)
                .after("pack")
                .step("mail", Job.of("mail", null))
                .after("label");
    }

    @Test
    void runsStepsAfterEachOtherAndGivesThemResults() {
        UUID flow = node.publisher().publish(order("good"));
        flows.await(flow, "SUCCEEDED 1: 6 6 0 0");
        assertThat(shop.done).startsWith("pay", "pack").endsWith("mail paid 7 [label a, label b, label c]");
    }

    @Test
    void returnsTheOneThatHasItsNameAndKey() {
        Flow waiting = Flow.of("approval", "k").signal("approved");
        UUID first = node.publisher().publish(waiting);
        assertThat(node.publisher().publish(waiting)).isEqualTo(first);
        assertThat(node.publisher().signal(first, "approved", null)).isTrue();
        flows.await(first, "SUCCEEDED 1: 1 1 0 0");
        assertThat(node.publisher().publish(waiting)).isNotEqualTo(first);
    }

    @Test
    void commitsWithTheTransactionOfTheCaller() {
        long before = flows.count("flow");
        new TransactionTemplate(node.bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            node.publisher().publish(order("rolled back"));
            status.setRollbackOnly();
        });
        assertThat(flows.count("flow")).isEqualTo(before);
    }

    @Test
    void givesAnEmptyListForAnEmptyFanOut() {
        UUID flow = node.publisher()
                .publish(Flow.of("order")
                        .step("pay", new Pay(1))
                        .each("label", List.<String>of(), Label::new)
                        .after("pay")
                        .step("mail", Job.of("mail", null))
                        .after("label"));
        flows.await(flow, "SUCCEEDED 1: 2 2 0 0");
        assertThat(shop.done).containsExactly("pay", "mail paid 1 []");
    }

    @Test
    void goesOnAtOnceWhereNothingTellsTheNodeButItself() {
        String[] alone = {"queue.worker.poll-interval=1h", "queue.listener.enabled=false"};
        TestDatabase own = TestDatabase.create();
        try (Node quiet = Node.start(own, Shop.class, alone)) {
            UUID flow =
                    quiet.publisher().publish(order("alone").signal("approved").after("mail"));
            await().until(() -> quiet.bean(Shop.class).done.size() == 3);
            quiet.publisher().signal(flow, "approved", null);
            new FlowRows(own).await(flow, "SUCCEEDED 1: 7 7 0 0");
        }
    }

    @Test
    void goesOnWhereTheNodeThatFreesAStepWasDeclaredDead() {
        String[] alone = {"queue.worker.poll-interval=1h", "queue.worker.heartbeat-interval=20m", "queue.worker.ttl=1h"
        };
        TestDatabase own = TestDatabase.create();
        try (Node quiet = Node.start(own, Shop.class, alone)) {
            UUID dead = quiet.workerId();
            UUID flow = quiet.publisher()
                    .publish(Flow.of("approval").signal("approved").then("note", Job.of("note", "late")));
            new JobRows(own)
                    .jdbc()
                    .sql("UPDATE queue.worker SET dead_at = clock_timestamp()")
                    .update();
            quiet.publisher().signal(flow, "approved", null);
            new FlowRows(own).await(flow, "SUCCEEDED 1: 2 2 0 0");
            assertThat(quiet.workerId()).isNotEqualTo(dead);
        }
    }

    @Nested
    class WhenAStepIsDead {

        @Test
        void cancelsWhatComesAfterItAndUndoesTheRestInReverse() {
            UUID flow = node.publisher()
                    .publish(Flow.of("order")
                            .step("pay", new Pay(9))
                            .compensate("pay", Job.of("refund", null))
                            .step("pack", Job.of("pack", null))
                            .after("pay")
                            .compensate("pack", Job.of("unpack", null))
                            .step("fail", Job.of("fail", null))
                            .after("pack")
                            .step("mail", Job.of("mail", null))
                            .after("fail")
                            .onDeath(Job.of("note", "death"))
                            .onSuccess(Job.of("note", "success"))
                            .onFinish(Job.of("note", "finish")));
            flows.await(flow, "FAILED 1: 6 4 1 1");
            await().until(() -> shop.done.contains("finish"));
            assertThat(shop.done).containsSubsequence("pay", "pack", "unpack", "refund 9", "finish");
            assertThat(shop.done).contains("death").doesNotContain("success").hasSize(6);
        }

        @Test
        void runsWhatIsToRunInAnyCase() {
            UUID flow = node.publisher()
                    .publish(Flow.of("order")
                            .step("fail", Job.of("fail", null))
                            .step("note", Job.of("note", "always"))
                            .after("fail")
                            .onParentDead(OnParentDead.RUN));
            flows.await(flow, "FAILED 1: 2 1 1 0");
            assertThat(shop.done).containsExactly("always");
        }
    }

    @Nested
    class WhileItRuns {

        @Test
        void takesStepsThatAStepAdds() {
            UUID flow = node.publisher()
                    .publish(Flow.of("growing")
                            .step("grow", Job.of("grow", 3))
                            .step("note", Job.of("note", "first"))
                            .after("grow"));
            flows.await(flow, "SUCCEEDED 1: 5 5 0 0");
            assertThat(shop.done).contains("first", "grown 1", "grown 2", "grown 3");
        }

        @Test
        void takesStepsOnceWhoseHandlerIsTriedAgain() {
            UUID flow = node.publisher().publish(Flow.of("growing").step("grow", Job.of("grow.again", null)));
            flows.await(flow, "SUCCEEDED 1: 3 3 0 0");
            assertThat(shop.done).containsExactlyInAnyOrder("one", "two");
        }

        @Test
        void takesStepsOnceWhoseHandlerRunsAgainInTheSameAttempt() {
            UUID flow = node.publisher().publish(Flow.of("growing").step("grow", Job.of("grow.later", null)));
            flows.await(flow, "SUCCEEDED 1: 2 2 0 0");
            assertThat(shop.done).containsExactlyInAnyOrder("snoozed", "grown");
        }

        @Test
        void addsNothingIfTheTransactionOfTheStepRollsBack() {
            UUID flow = node.publisher().publish(Flow.of("growing").step("grow", Job.of("grow.failing", null)));
            flows.await(flow, "FAILED 1: 1 0 1 0");
            assertThat(shop.done).isEmpty();
        }

        @Test
        void waitsForASignalAndGivesWhatItCarries() {
            UUID flow = node.publisher()
                    .publish(Flow.of("approval")
                            .signal("approved", Duration.ofHours(1))
                            .step("decide", Job.of("decide", null))
                            .after("approved"));
            assertThatThrownBy(() -> node.publisher().signal(flow, "aproved", null))
                    .isInstanceOf(InvalidJobException.class)
                    .hasMessageContaining("approved");
            assertThatThrownBy(() -> node.publisher().signal(UUID.randomUUID(), "approved", null))
                    .isInstanceOf(JobNotFoundException.class);
            assertThat(node.publisher().signal(flow, "approved", new Decision("ada", true)))
                    .isTrue();
            flows.await(flow, "SUCCEEDED 1: 2 2 0 0");
            assertThat(shop.done).containsExactly("ada true");
        }

        @Test
        void endsASignalThatDoesNotComeAndATimerThatDoes() {
            UUID flow = node.publisher()
                    .publish(Flow.of("approval")
                            .timer("pause", Duration.ofMillis(20))
                            .signal("approved", Duration.ofMillis(20))
                            .after("pause")
                            .step("decide", Job.of("note", "late"))
                            .after("approved")
                            .onParentDead(OnParentDead.RUN));
            flows.await(flow, "FAILED 1: 3 2 1 0");
            assertThat(shop.done).containsExactly("late");
        }
    }

    @Nested
    class WhenAResultCannotBeGiven {

        @Test
        void failsAtOnceWhereItIsOfAnotherType() {
            UUID flow = node.publisher()
                    .publish(Flow.of("typed")
                            .step("pay", new Pay(1))
                            .step("wrong", Job.of("wrong", null))
                            .after("pay"));
            flows.await(flow, "FAILED 1: 2 1 1 0");
        }

        @Test
        void failsWhereThereIsNoSuchStep() {
            UUID flow = node.publisher().publish(Flow.of("typed").step("wrong", Job.of("wrong", null)));
            flows.await(flow, "FAILED 1: 1 0 1 0");
        }
    }

    record Pay(int order) {}

    record Receipt(int order) {}

    record Label(String item) {}

    record Decision(String by, boolean yes) {}

    static class Shop {

        final Collection<String> done = new ConcurrentLinkedQueue<>();

        @JobHandler("pay")
        Receipt pay(Pay pay) {
            done.add("pay");
            return new Receipt(pay.order());
        }

        @JobHandler("pack")
        void pack() {
            done.add("pack");
        }

        @JobHandler("label")
        String label(Label label) {
            return "label " + label.item();
        }

        @JobHandler(value = "mail", transactional = true)
        void mail(@From("pay") Receipt receipt, JobContext job, @From("label") List<String> labels) {
            assertThat(job.resultOf("label", new ParameterizedTypeReference<List<String>>() {}))
                    .isEqualTo(labels);
            done.add("mail paid " + receipt.order() + " " + labels);
        }

        @JobHandler(value = "fail", maxAttempts = 1)
        void fail() {
            throw new IllegalStateException("no");
        }

        @JobHandler("refund")
        void refund(@From("pay") Receipt receipt) {
            done.add("refund " + receipt.order());
        }

        @JobHandler("unpack")
        void unpack() {
            done.add("unpack");
        }

        @JobHandler("note")
        void note(String text) {
            done.add(text);
        }

        @JobHandler("grow")
        void grow(int steps, JobContext job) {
            assertThat(job.flowStep()).startsWith("grow");
            for (int i = 1; i <= steps; i++) {
                job.addStep("grown" + i, Job.of("note", "grown " + i), "grow");
            }
        }

        @JobHandler(value = "grow.again", maxAttempts = 2, backoff = "10ms")
        void growAgain(JobContext job) {
            job.addSteps(flow -> flow.step("one", Job.of("note", "one")).step("two", Job.of("note", "two")));
            if (job.attempt() == 1) {
                throw new IllegalStateException("no");
            }
        }

        @JobHandler(value = "grow.later", maxAttempts = 1)
        void growLater(JobContext job) {
            job.addStep("grown", Job.of("note", "grown"));
            if (!done.contains("snoozed")) {
                done.add("snoozed");
                job.snooze(Duration.ofMillis(10));
            }
        }

        @JobHandler(value = "grow.failing", transactional = true, maxAttempts = 1)
        void growAndFail(JobContext job) {
            job.addStep("grown", Job.of("note", "grown"));
            throw new IllegalStateException("no");
        }

        @JobHandler("decide")
        void decide(@From("approved") @Nullable Decision decision) {
            done.add(decision == null ? "nobody" : decision.by() + " " + decision.yes());
        }

        @JobHandler("wrong")
        void wrong(@From("pay") List<String> receipts) {
            throw new PermanentJobException("got " + receipts);
        }
    }
}
