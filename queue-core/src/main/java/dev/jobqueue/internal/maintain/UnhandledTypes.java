package dev.jobqueue.internal.maintain;

import dev.jobqueue.internal.operate.FigureReader;
import dev.jobqueue.operate.UnhandledType;
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

    private final FigureReader figures;
    private final Duration ttl;
    private final Set<String> reported = new HashSet<>();

    /**
     * @param ttl how long a node may be silent and still live
     */
    public UnhandledTypes(FigureReader figures, Duration ttl) {
        super(INTERVAL, INTERVAL);
        this.figures = figures;
        this.ttl = ttl;
    }

    @Override
    Duration work() {
        report();
        return jittered(INTERVAL);
    }

    void report() {
        List<UnhandledType> found = figures.unhandled(ttl);
        reported.retainAll(found.stream().map(UnhandledType::type).toList());
        for (UnhandledType each : found) {
            if (reported.add(each.type())) {
                log.warn(
                        "No live node handles type '{}' in queue '{}': its jobs wait, the oldest for {} s."
                                + " Annotate a method with @JobHandler(\"{}\"), or start a node that has one.",
                        each.type(),
                        each.queue(),
                        each.oldest().toSeconds(),
                        each.type());
            }
        }
    }
}
