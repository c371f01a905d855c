package dev.jobqueue.internal.node;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** What a notification tells. Anybody who may connect can send one, so each is a hint to look, never an order. */
sealed interface Notice {

    /** A queue has jobs that may be claimed. */
    record JobsPending(String queue) implements Notice {}

    /** Jobs were published that are due later. */
    record JobsScheduled() implements Notice {}

    /** A running job is to be cancelled. */
    record CancelRequested(UUID job) implements Notice {}

    /** Schedules were changed. */
    record SchedulesChanged() implements Notice {}

    /** Something happened to batches or flows. */
    record FlowsChanged() implements Notice {}

    /** Not just the prefix: a queue may have any name. */
    Pattern CANCELLATION = Pattern.compile("cancel:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})");

    /**
     * Reads a notification: a queue's name, unless it is one of a few other texts. Such a text may name a queue too.
     */
    static List<Notice> parse(String text) {
        if (text.isEmpty()) {
            return List.of(new JobsScheduled());
        }
        var cancellation = CANCELLATION.matcher(text);
        if (cancellation.matches()) {
            return List.of(new CancelRequested(UUID.fromString(cancellation.group(1))));
        }
        List<Notice> notices = new ArrayList<>(List.of(new JobsPending(text)));
        if (text.equals("schedule")) {
            notices.add(new SchedulesChanged());
        }
        if (text.equals("flow")) {
            notices.add(new FlowsChanged());
        }
        return notices;
    }
}
