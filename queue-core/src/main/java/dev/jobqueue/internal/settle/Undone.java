package dev.jobqueue.internal.settle;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The jobs whose transactional handler was undone because the database was away or the job locked. Such a run costs no
 * attempt. But a job that is undone again and again is probably the cause itself, for example because it breaks its own
 * connection.
 */
public final class Undone {

    private static final int MOST_IN_A_ROW = 10;
    private static final int REMEMBERED = 10_000;
    private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

    private final Map<UUID, Integer> inARow = new LinkedHashMap<>() {

        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Integer> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Counts one more, and tells after which pause to run the job again; nothing if it has to count as a failure. */
    public synchronized Optional<Duration> pause(UUID id) {
        int times = inARow.merge(id, 1, Integer::sum);
        if (times > MOST_IN_A_ROW) {
            inARow.remove(id);
            return Optional.empty();
        }
        Duration pause = FIRST_PAUSE.multipliedBy(1L << (times - 1));
        return Optional.of(pause.compareTo(LONGEST_PAUSE) < 0 ? pause : LONGEST_PAUSE);
    }

    public synchronized void forget(UUID id) {
        inARow.remove(id);
    }
}
