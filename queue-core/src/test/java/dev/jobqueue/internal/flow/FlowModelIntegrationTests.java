package dev.jobqueue.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.internal.flow.FlowModel.State;
import dev.jobqueue.internal.flow.FlowModel.Step;
import dev.jobqueue.internal.handle.ClaimedJob;
import dev.jobqueue.internal.settle.SettleCalls.Completion;
import dev.jobqueue.internal.settle.SettleCalls.Failure;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;

/** Random flows, to whose steps random things happen, end as a model in memory does. */
class FlowModelIntegrationTests {

    private static final FlowQueue FLOWS = new FlowQueue();

    private final UUID worker = UUID.randomUUID();
    private Random random = new Random();

    @BeforeEach
    void reset() {
        FLOWS.reset();
    }

    @RepeatedTest(20)
    void isAsTheModelSays(RepetitionInfo repetition) throws Exception {
        random = new Random(4711 + repetition.getCurrentRepetition());
        FlowModel model = FlowModel.random(random);
        UUID flow = FLOWS.flow(model.text());
        for (int i = 0; i < 150; i++) {
            doSomething(model, flow);
            if (random.nextInt(3) == 0) {
                FLOWS.resolve();
            }
            if (random.nextInt(10) == 0) {
                FLOWS.resolve();
                assertThat(FLOWS.stepsOf(flow)).as(model.text()).isEqualTo(model.states());
                FlowAudit.audit(FLOWS.queue.database);
            }
        }
        FLOWS.resolve();
        assertThat(FLOWS.stepsOf(flow)).as(model.text()).isEqualTo(model.states());
        assertThat(FLOWS.stateOf(flow)).isEqualTo(state(model));
        FlowAudit.audit(FLOWS.queue.database);
    }

    private static String state(FlowModel model) {
        if (!model.in(State.BLOCKED).isEmpty() || !model.in(State.FREE).isEmpty()) {
            return "RUNNING";
        }
        if (!model.in(State.DEAD).isEmpty()) {
            return "FAILED";
        }
        return model.in(State.CANCELLED).isEmpty() ? "SUCCEEDED" : "CANCELLED";
    }

    private void doSomething(FlowModel model, UUID flow) {
        int what = random.nextInt(100);
        if (what < 80) {
            run(model);
        } else if (what < 90) {
            replay(model, flow);
        } else if (what < 98) {
            cancelStep(model, flow);
        } else if (random.nextInt(4) == 0) {
            // In the model all that was told is known to all.
            FLOWS.resolve();
            if (FLOWS.stateOf(flow).equals("RUNNING")) {
                FLOWS.queue.call("cancel_flow('%s')".formatted(flow));
                FLOWS.resolve();
                model.cancelAll();
            }
        }
    }

    private void run(FlowModel model) {
        for (ClaimedJob job : FLOWS.queue.claims.claim(worker, Map.of("default", 1 + random.nextInt(3)), null)) {
            Step step = step(model, job.type());
            if (random.nextInt(4) == 0) {
                FLOWS.queue.settlements.failAll(List.of(new Failure(job.lease(), "broken", false)));
                model.end(step, State.DEAD);
            } else {
                FLOWS.queue.settlements.completeAll(List.of(new Completion(job.lease(), null)));
                model.end(step, State.DONE);
            }
        }
    }

    private void replay(FlowModel model, UUID flow) {
        // A death that is taken back before anybody resolved it has no consequences; in the model it has.
        FLOWS.resolve();
        List<Step> dead = model.in(State.DEAD);
        if (!dead.isEmpty()) {
            Step step = dead.get(random.nextInt(dead.size()));
            FLOWS.queue.operations.replay(FLOWS.jobOf(flow, step.name));
            model.replay(step);
        }
    }

    /** One that waits for a claim, or is blocked and will be cancelled by the resolver. */
    private void cancelStep(FlowModel model, UUID flow) {
        FLOWS.resolve();
        Step step = model.steps.get(random.nextInt(model.steps.size()));
        if (step.state == State.FREE || step.state == State.BLOCKED) {
            FLOWS.queue.one(String.class, "SELECT queue.cancel(?)", FLOWS.jobOf(flow, step.name));
            FLOWS.resolve();
            model.cancelBlocked(step);
        }
    }

    private static Step step(FlowModel model, String name) {
        return model.steps.stream()
                .filter(step -> step.name.equals(name))
                .findFirst()
                .orElseThrow();
    }
}
