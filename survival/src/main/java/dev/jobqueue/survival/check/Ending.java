package dev.jobqueue.survival.check;

import dev.jobqueue.survival.cluster.Database;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How the jobs ended, for people. */
public final class Ending {

    private Ending() {}

    /** The jobs of the database, by state. */
    public static Map<String, Long> counts(Database database) {
        return Snapshot.take(database).rows().stream()
                .collect(Collectors.groupingBy(JobRow::state, TreeMap::new, Collectors.counting()));
    }
}
