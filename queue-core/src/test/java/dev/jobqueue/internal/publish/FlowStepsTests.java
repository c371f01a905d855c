package dev.jobqueue.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.jobqueue.Flow;
import dev.jobqueue.FlowStep;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Job;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlowStepsTests {

    private static final Job JOB = Job.of("test", null);

    @Test
    void refusesANameThatTwoStepsHave() {
        refuses(Flow.of("order").step("pay", JOB).each("pay", List.of(1), item -> JOB), "has two steps named 'pay'");
    }

    @Test
    void refusesAnUnknownStepAndNamesThoseThatThereAre() {
        refuses(
                Flow.of("order").step("pay", JOB).step("pack", JOB).after("pya"),
                "Flow 'order' has a step 'pack' that comes after 'pya', which it does not have. It has [pay, pack]");
    }

    @Test
    void refusesACompensationOfAnUnknownStep() {
        refuses(Flow.of("order").step("pay", JOB).compensate("pack", JOB), "compensates step 'pack'");
        assertThatThrownBy(() -> Flow.of("order").compensate("pay", JOB).compensate("pay", JOB))
                .hasMessageContaining("twice");
    }

    @Test
    void refusesACycleAndNamesItsStepsInOrder() {
        refuses(
                Flow.of("order")
                        .step("free", JOB)
                        .step("b", JOB)
                        .after("a", "free")
                        .step("c", JOB)
                        .after("b")
                        .step("a", JOB)
                        .after("c")
                        .step("behind", JOB)
                        .after("a"),
                "wait for each other: b -> c -> a -> b");
        refuses(Flow.of("order").step("a", JOB).after("a"), "wait for each other: a -> a");
    }

    @Test
    void refusesJobsThatMayBeThereAlready() {
        refuses(Flow.of("order").step("pay", JOB.uniqueKey("key")), "Step 'pay' has an id, a unique key or a debounce");
        refuses(
                Flow.of("order").step("pay", JOB).compensate("pay", JOB.uniqueFor(Duration.ofDays(1))),
                "The compensation of step 'pay' has an id");
    }

    @Test
    void refusesToSaySomethingAboutNoStep() {
        assertThatThrownBy(() -> Flow.of("order").after("pay"))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining("flow 'order' has none yet");
    }

    @Test
    void acceptsStepsThatAreNamedBeforeTheyAreAdded() {
        assertThatCode(() -> FlowSteps.of(
                        Flow.of("order").step("pack", JOB).after("pay").step("pay", JOB)))
                .doesNotThrowAnyException();
    }

    @Test
    void acceptsAfterwardsStepsOfTheFlowThatIsThere() {
        Flow added = Flow.of("order").step("audit", JOB).after("pay");
        assertThatCode(() -> FlowSteps.ofAdded(added)).doesNotThrowAnyException();
        assertThatThrownBy(() -> FlowSteps.ofAdded(added.step("x", JOB).after("x")))
                .hasMessageContaining("x -> x");
    }

    @Test
    void letsWhatComesBeforeStandForAnEmptyFanOut() {
        Flow flow = Flow.of("order")
                .step("pay", JOB)
                .each("label", List.of(), item -> JOB)
                .after("pay")
                .each("stamp", List.of(), item -> JOB)
                .after("label")
                .step("mail", JOB)
                .after("stamp");
        FlowStep mail = flow.steps().get(3);
        assertThat(FlowSteps.of(flow).after(mail)).containsExactly("pay");
    }

    @Test
    void checksAChainOfManySteps() {
        Flow flow = Flow.of("chain");
        for (int i = 0; i < 10_000; i++) {
            flow = flow.then("step" + i, JOB);
        }
        Flow chain = flow;
        assertThatCode(() -> FlowSteps.of(chain)).doesNotThrowAnyException();
        assertThat(chain.steps()).hasSize(10_000);
        assertThat(chain.steps().get(1).after()).containsExactly("step0");
    }

    private static void refuses(Flow flow, String message) {
        assertThatThrownBy(() -> FlowSteps.of(flow))
                .isInstanceOf(InvalidJobException.class)
                .hasMessageContaining(message);
    }
}
