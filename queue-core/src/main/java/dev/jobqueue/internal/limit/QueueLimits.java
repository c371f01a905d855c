package dev.jobqueue.internal.limit;

import dev.jobqueue.LimitDefinition;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.LanePage;
import dev.jobqueue.operate.LimitFigures;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The limits as operators see them, who own nothing. */
public final class QueueLimits implements JobLimits {

    private final LimitCalls calls;
    private final LaneCalls lanes;

    /**
     * @param calls without an owner
     */
    public QueueLimits(LimitCalls calls, LaneCalls lanes) {
        this.calls = calls;
        this.lanes = lanes;
    }

    @Override
    public List<LimitFigures> list() {
        return calls.find();
    }

    @Override
    public Optional<LimitFigures> find(String name) {
        return list().stream()
                .filter(each -> each.definition().name().equals(name))
                .findFirst();
    }

    @Override
    public void set(LimitDefinition definition) {
        calls.set(definition);
    }

    @Override
    public boolean remove(String name) {
        return calls.remove(name);
    }

    @Override
    public void useForType(String type, Map<String, String> keys) {
        calls.useForType(type, shared(keys));
    }

    @Override
    public void useForQueue(String queue, Map<String, String> keys) {
        calls.useForQueue(queue, shared(keys));
    }

    private static Map<String, @Nullable String> shared(Map<String, String> keys) {
        Map<String, @Nullable String> shared = new TreeMap<>();
        keys.forEach((limit, key) -> shared.put(limit, key.isEmpty() ? null : key));
        return shared;
    }

    @Override
    public LanePage lanes(String limit, JobCursor after, int max) {
        return lanes.find(limit, after, max, false);
    }

    @Override
    public LanePage blockedLanes(String limit, JobCursor after, int max) {
        return lanes.find(limit, after, max, true);
    }

    @Override
    public boolean releaseLane(String limit, String key) {
        return lanes.release(limit, key);
    }

    @Override
    public void closeLane(String limit, String key, Instant until) {
        lanes.close(limit, key, until);
    }
}
