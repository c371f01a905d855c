package dev.jobqueue.internal.maintain;

import dev.jobqueue.internal.operate.Observations;
import dev.jobqueue.internal.operate.Observations.Unhandled;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports types that wait and that no live node handles: each once, and again only if it was handled in between. */
public final class UnhandledTypes extends Chore {

    private static final Logger log = LoggerFactory.getLogger(UnhandledTypes.class);

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    private final Observations observations;
    private final Duration ttl;
    private final Set<String> reported = new HashSet<>();

    /**
     * @param ttl how long a node may be silent and still live
     */
    public UnhandledTypes(Observations observations, Duration ttl) {
        super(INTERVAL, INTERVAL);
        this.observations = observations;
        this.ttl = ttl;
    }

    @Override
    Duration work() {
        report();
        return jittered(INTERVAL);
    }

    void report() {
        List<Unhandled> found = observations.unhandled(ttl);
        reported.retainAll(found.stream().map(Unhandled::type).toList());
        for (Unhandled each : found) {
            if (reported.add(each.type())) {
                log.warn(
                        "No live node handles type '{}' in queue '{}': its jobs wait, the oldest for {} s. Annotate a method with @JobHandler(\"{}\"), or start a node that has one.",
                        each.type(),
                        each.queue(),
                        each.oldest().toSeconds(),
                        each.type());
            }
        }
    }
}
