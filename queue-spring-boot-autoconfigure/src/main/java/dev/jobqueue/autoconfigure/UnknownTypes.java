package dev.jobqueue.autoconfigure;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds retry properties whose type this node does not know: a typing error, or a type of other nodes. */
final class UnknownTypes {

    private static final Logger log = LoggerFactory.getLogger(UnknownTypes.class);

    private UnknownTypes() {}

    static void warn(Collection<String> configured, Set<String> handled, Set<String> scheduled) {
        Set<String> known = new TreeSet<>(handled);
        known.addAll(scheduled);
        Set<String> unknown = new TreeSet<>(configured);
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            log.warn(
                    "queue.retry names types that this node neither handles nor schedules: {}."
                            + " Their retry policies are stored all the same, for other nodes that handle them.",
                    unknown.stream().map(type -> Spelling.describe(type, known)).collect(Collectors.joining(", ")));
        }
    }
}
