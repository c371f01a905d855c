package dev.jobqueue.autoconfigure;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.PatternMatchUtils;

/** Finds queues that a node is told to work, and that nothing else on it names: a typing error most of the time. */
final class UnknownQueues {

    private static final Logger log = LoggerFactory.getLogger(UnknownQueues.class);

    private UnknownQueues() {}

    /**
     * @param patterns what the node works, by name or pattern
     * @param known the queues that handlers, schedules and properties name
     */
    static void warn(Collection<String> patterns, Set<String> known) {
        List<String> unknown = patterns.stream()
                .filter(pattern -> known.stream().noneMatch(queue -> PatternMatchUtils.simpleMatch(pattern, queue)))
                .toList();
        if (!unknown.isEmpty()) {
            log.warn(
                    "queue.worker.queues names no queue of a handler here: {}. This node works only what others publish"
                            + " there by name. If that is meant, say so: queue.queues.<name>.slots",
                    unknown.stream().map(name -> Spelling.describe(name, known)).collect(Collectors.joining(", ")));
        }
    }
}
