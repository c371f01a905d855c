package dev.jobqueue.internal.handle;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The steps of one job: those that earlier attempts finished, and those of this one. */
public final class HandlerSteps {

    private final RunningJob run;
    private final HandlingSetup.Tools tools;

    /** The steps of a transactional handler in this attempt, which only count if its transaction commits. */
    private final Map<String, String> unsaved = new ConcurrentHashMap<>();

    private @Nullable Map<String, String> known;

    HandlerSteps(RunningJob run, HandlingSetup.Tools tools) {
        this.run = run;
        this.tools = tools;
    }

    /**
     * Reads the result of the first attempt from its JSON too: what JSON cannot carry is lost at once, not later.
     *
     * @param save stores the JSON of a result, and returns it as it is stored
     */
    <T> T step(String name, Type type, Callable<T> action, UnaryOperator<String> save) throws Exception {
        String result = known().get(Objects.requireNonNull(name, "name"));
        if (result == null) {
            result = save.apply(tools.json().writeResult(action.call()));
            known().put(name, result);
        }
        return tools.json().readStep(name, result, type);
    }

    /** Keeps the result of a step until its transaction ends, and returns it as it would be stored. */
    String keep(String name, String written) {
        unsaved.put(name, written);
        return tools.reports().asStored(written);
    }

    /** Stores the steps of a transactional handler, in its own transaction. */
    void save(ReportCalls joining) {
        unsaved.forEach((name, result) -> joining.saveStep(run.lease(), name, result));
    }

    /** Stores the steps of this attempt once more, after what stored them was rolled back. */
    public void saveAgain(ReportCalls joining) {
        Map<String, String> before = tools.json().readSteps(run.claimed().steps());
        known().forEach((name, result) -> {
            if (!before.containsKey(name)) {
                joining.saveStep(run.lease(), name, result);
            }
        });
    }

    /** The finished steps, of earlier attempts and of this one, as JSON. */
    private synchronized Map<String, String> known() {
        Map<String, String> steps = known;
        if (steps == null) {
            steps = new ConcurrentHashMap<>(tools.json().readSteps(run.claimed().steps()));
            known = steps;
        }
        return steps;
    }
}
