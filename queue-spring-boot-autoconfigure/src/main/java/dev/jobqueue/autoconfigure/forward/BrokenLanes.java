package dev.jobqueue.autoconfigure.forward;

import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The lanes in which a message was not sent, so that none of those behind it may be. The database gives out the next
 * series of a lane when all jobs of the one before have ended or are back; but the rest of that series may still be in
 * the buffer of this node. Each of its jobs goes back once: a job that comes a second time belongs to a new series.
 */
final class BrokenLanes {

    /** More than one claim brings. A node that forgets a lane must not have jobs of its broken series any more. */
    private static final int MOST = 10_000;

    private final Map<String, Set<UUID>> lanes = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Set<UUID>> eldest) {
            return size() > MOST;
        }
    };

    /** Holds the lane back until one of its known jobs comes again. */
    void add(String lane, UUID id) {
        lanes.computeIfAbsent(lane, none -> new HashSet<>()).add(id);
    }

    /** Whether a job that came with a new bundle has to go back. */
    boolean holdBack(String lane, UUID id) {
        Set<UUID> known = lanes.get(lane);
        if (known == null) {
            return false;
        }
        if (known.contains(id)) {
            lanes.remove(lane);
            return false;
        }
        known.add(id);
        return true;
    }
}
