package dev.jobqueue.internal.flow;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** The steps of one flow in memory: what must be true of them once all that was told is resolved. */
final class FlowModel {

    /** As in the database, with FREE for a step that can run. */
    enum State {
        BLOCKED,
        FREE,
        DONE,
        DEAD,
        CANCELLED
    }

    /** A step with the numbers of its parents. */
    static final class Step {

        final String name;
        final String policy;
        final List<Integer> parents;
        State state = State.BLOCKED;
        boolean fell;

        Step(String name, String policy, List<Integer> parents) {
            this.name = name;
            this.policy = policy;
            this.parents = parents;
        }
    }

    final List<Step> steps = new ArrayList<>();
    private boolean cancelled;

    static FlowModel random(Random random) {
        FlowModel model = new FlowModel();
        int size = 1 + random.nextInt(50);
        for (int i = 0; i < size; i++) {
            List<Integer> parents = new ArrayList<>();
            for (int n = random.nextInt(4); n > 0 && i > 0; n--) {
                int parent = random.nextInt(i);
                if (!parents.contains(parent)) {
                    parents.add(parent);
                }
            }
            String policy = List.of("CANCEL", "CANCEL", "RUN", "WAIT").get(random.nextInt(4));
            model.steps.add(new Step("s" + i, policy, parents));
        }
        model.settle();
        return model;
    }

    String text() {
        return steps.stream()
                .map(step -> step.name
                        + (step.parents.isEmpty()
                                ? ""
                                : step.parents.stream()
                                        .map(parent -> steps.get(parent).name)
                                        .collect(Collectors.joining(" ", " < ", " " + step.policy))))
                .collect(Collectors.joining("\n"));
    }

    List<String> states() {
        return steps.stream().map(step -> step.name + " " + step.state).toList();
    }

    List<Step> in(State state) {
        return steps.stream().filter(step -> step.state == state).toList();
    }

    void end(Step step, State how) {
        step.state = how;
        settle();
    }

    void cancelBlocked(Step step) {
        step.state = State.CANCELLED;
        settle();
    }

    void cancelAll() {
        cancelled = true;
        steps.stream()
                .filter(step -> step.state == State.BLOCKED || step.state == State.FREE)
                .forEach(step -> step.state = State.CANCELLED);
    }

    /** A dead one runs again, and all that fell comes back and may fall again. */
    void replay(Step dead) {
        dead.state = State.FREE;
        cancelled = false;
        boolean changes = true;
        List<Step> back = new ArrayList<>(List.of(dead));
        while (changes) {
            changes = false;
            for (Step step : steps) {
                if (step.fell && step.parents.stream().map(steps::get).anyMatch(back::contains)) {
                    step.fell = false;
                    step.state = State.BLOCKED;
                    back.add(step);
                    changes = true;
                }
            }
        }
        settle();
    }

    /** In the order of the steps, because parents come before their children. */
    private void settle() {
        for (Step step : steps) {
            if (step.state != State.BLOCKED) {
                continue;
            }
            List<State> parents =
                    step.parents.stream().map(parent -> steps.get(parent).state).toList();
            boolean bad = parents.contains(State.DEAD) || parents.contains(State.CANCELLED);
            if (bad && step.policy.equals("CANCEL")) {
                step.state = State.CANCELLED;
                step.fell = true;
            } else if (step.policy.equals("WAIT")
                    && step.parents.stream().anyMatch(parent -> isLost(steps.get(parent)))) {
                step.state = State.CANCELLED;
            } else if (parents.stream().allMatch(state -> letsGo(state, step.policy))) {
                step.state = cancelled ? State.CANCELLED : State.FREE;
            }
        }
    }

    /** Whether no replay brings it back. */
    private boolean isLost(Step step) {
        return step.state == State.CANCELLED
                && (!step.fell || step.parents.stream().anyMatch(parent -> isLost(steps.get(parent))));
    }

    private static boolean letsGo(State parent, String policy) {
        return parent == State.DONE || (policy.equals("RUN") && (parent == State.DEAD || parent == State.CANCELLED));
    }
}
