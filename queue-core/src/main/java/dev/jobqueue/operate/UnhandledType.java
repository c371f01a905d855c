package dev.jobqueue.operate;

import java.time.Duration;

/**
 * A type that waits for a handler: no live node of its queue has one.
 *
 * @param queue the name of the queue
 * @param type the type
 * @param jobs how many of the first jobs of the queue are of it
 * @param oldest how long the oldest of them is due
 * @param isHandledElsewhere whether a live node handles the type in other queues, so that only the queue is not worked
 */
public record UnhandledType(String queue, String type, long jobs, Duration oldest, boolean isHandledElsewhere) {

    /**
     * What is missing.
     *
     * @return a sentence without its full stop
     */
    public String problem() {
        return isHandledElsewhere
                ? "No live node works the queue '%s', where jobs of type '%s' wait".formatted(queue, type)
                : "No live node handles type '%s' in queue '%s'".formatted(type, queue);
    }

    /**
     * What to do about it.
     *
     * @return a sentence
     */
    public String remedy() {
        if (!isHandledElsewhere) {
            return "Annotate a method with @JobHandler(\"%s\"), or start a node that has one.".formatted(type);
        }
        String key = queue.matches("[a-z0-9-]+") ? "." + queue : "[" + queue + "]";
        return "A node works the queues that its handlers and properties name. Name this one where the handler is:"
                + " queue.queues%s.slots=10 (and in queue.worker.queues, if that is set).".formatted(key);
    }
}
