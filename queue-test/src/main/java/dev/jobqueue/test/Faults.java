package dev.jobqueue.test;

import dev.jobqueue.JobContext;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a test wants to go wrong. What did not happen must be told: the test would show nothing. */
final class Faults {

    /** The steps after which the node dies, each one once. */
    private final List<String> crashes = new ArrayList<>();

    private final Set<String> finished = new LinkedHashSet<>();
    private int leasesToLose;

    void crashAfter(String step) {
        crashes.add(step);
    }

    void loseLease() {
        leasesToLose++;
    }

    /** Whether the handler that begins now loses its lease. */
    boolean losesLease() {
        boolean loses = leasesToLose > 0;
        if (loses) {
            leasesToLose--;
        }
        return loses;
    }

    /** Whether the node dies now that this step is finished. */
    boolean crashesAfter(JobContext job, String step) {
        finished.add("'%s' of '%s'".formatted(step, job.type()));
        return crashes.remove(step);
    }

    void clear() {
        crashes.clear();
        finished.clear();
        leasesToLose = 0;
    }

    /** Forgets what has not happened, and fails if there is something. */
    void requireNone() {
        String missing = missing();
        clear();
        if (missing != null) {
            throw new AssertionError(missing);
        }
    }

    private @Nullable String missing() {
        if (!crashes.isEmpty()) {
            return "The node was to die after step %s, but no attempt finished it: %s."
                    .formatted(
                            crashes.stream().map("'%s'"::formatted).collect(Collectors.joining(" and ")),
                            finished.isEmpty() ? "there were no steps" : "there was " + String.join(", ", finished));
        }
        return leasesToLose > 0 ? "A job was to lose its lease, but no handler began." : null;
    }
}
