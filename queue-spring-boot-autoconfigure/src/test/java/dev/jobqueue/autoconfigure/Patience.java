package dev.jobqueue.autoconfigure;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** How long tests wait for what must happen: a crowded machine may need far longer than a quiet one. */
public final class Patience {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    private Patience() {}

    public static ConditionFactory await() {
        return Awaitility.await().atMost(LIMIT);
    }
}
