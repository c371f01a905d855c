package dev.jobqueue.internal.publish;

import dev.jobqueue.Flow;
import dev.jobqueue.FlowStep;
import dev.jobqueue.InvalidJobException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The steps of a flow and what they come after. Refuses what cannot be: doubled names, unknown steps and cycles. */
final class FlowSteps {

    private final String flow;
    private final Map<String, FlowStep> steps = new LinkedHashMap<>();

    private FlowSteps(Flow flow) {
        this.flow = flow.name();
        for (FlowStep step : flow.steps()) {
            if (steps.put(step.name(), step) != null) {
                throw refusal("has two steps named '%s'".formatted(step.name()));
            }
            step.jobs().forEach(job -> JobPreparer.refuseUnique("Step '%s'".formatted(step.name()), job));
        }
        flow.compensations().forEach((step, job) -> {
            requireKnown(step, "compensates step '%s'");
            JobPreparer.refuseUnique("The compensation of step '%s'".formatted(step), job);
        });
    }

    /** The graph of a flow that is to be published. */
    static FlowSteps of(Flow flow) {
        FlowSteps graph = new FlowSteps(flow);
        graph.steps
                .values()
                .forEach(step -> step.after()
                        .forEach(name -> graph.requireKnown(
                                name, "has a step '%s' that comes after '%%s'".formatted(step.name()))));
        graph.refuseCycles();
        return graph;
    }

    /** The graph of steps that are to be added to a flow: they may come after others, which only the database knows. */
    static FlowSteps ofAdded(Flow flow) {
        FlowSteps graph = new FlowSteps(flow);
        graph.refuseCycles();
        return graph;
    }

    private void requireKnown(String step, String problem) {
        if (!steps.containsKey(step)) {
            throw refusal(problem.formatted(step) + ", which it does not have. It has " + steps.keySet());
        }
    }

    /**
     * The names that a step comes after. An empty {@link FlowStep.Kind#EACH} is not published: what it comes after
     * stands for it.
     */
    Collection<String> after(FlowStep step) {
        Set<String> names = new LinkedHashSet<>();
        Deque<String> open = new ArrayDeque<>(step.after());
        while (!open.isEmpty()) {
            String name = open.removeFirst();
            FlowStep parent = steps.get(name);
            if (parent != null
                    && parent.kind() == FlowStep.Kind.EACH
                    && parent.jobs().isEmpty()) {
                open.addAll(parent.after());
            } else {
                names.add(name);
            }
        }
        return names;
    }

    /** Takes away steps without parents until none is left. Steps that are left wait for each other. */
    private void refuseCycles() {
        Map<String, List<String>> children = new HashMap<>();
        Map<String, Integer> missing = new LinkedHashMap<>();
        Deque<String> free = new ArrayDeque<>();
        steps.forEach((name, step) -> {
            List<String> parents =
                    step.after().stream().distinct().filter(steps::containsKey).toList();
            parents.forEach(parent ->
                    children.computeIfAbsent(parent, none -> new ArrayList<>()).add(name));
            missing.put(name, parents.size());
            if (parents.isEmpty()) {
                free.add(name);
            }
        });
        while (!free.isEmpty()) {
            String name = free.removeFirst();
            missing.remove(name);
            for (String child : children.getOrDefault(name, List.of())) {
                if (missing.merge(child, -1, Integer::sum) == 0) {
                    free.add(child);
                }
            }
        }
        if (!missing.isEmpty()) {
            throw refusal("has steps that wait for each other: " + cycle(missing.keySet()));
        }
    }

    /** Each of the steps that are left comes after another one of them, so that the way back meets itself. */
    private String cycle(Set<String> left) {
        Deque<String> path = new ArrayDeque<>();
        String name = left.iterator().next();
        while (!path.contains(name)) {
            path.addFirst(name);
            name = Objects.requireNonNull(steps.get(name)).after().stream()
                    .filter(left::contains)
                    .findFirst()
                    .orElseThrow();
        }
        while (!path.getLast().equals(name)) {
            path.removeLast();
        }
        path.addFirst(name);
        return String.join(" -> ", path);
    }

    private InvalidJobException refusal(String problem) {
        return new InvalidJobException("Flow '%s' %s".formatted(flow, problem));
    }
}
