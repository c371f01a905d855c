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
        reported.retainAll(found.stream().map(UnhandledTypes::cause).toList());
        for (UnhandledType each : found) {
            if (reported.add(cause(each))) {
                log.warn(
                        "{}, the oldest for {} s. {}",
                        each.problem(),
                        each.oldest().toSeconds(),
                        each.remedy());
            }
        }
    }

    /** What is to be mended: one handler for all queues, or each queue by itself. */
    private static String cause(UnhandledType found) {
        return found.isHandledElsewhere() ? found.problem() : found.type();
    }
}
