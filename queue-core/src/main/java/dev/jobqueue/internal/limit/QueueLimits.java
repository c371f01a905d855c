package dev.jobqueue.internal.limit;

import dev.jobqueue.LimitDefinition;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobLimits;
import dev.jobqueue.operate.LanePage;
import dev.jobqueue.operate.LimitFigures;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        Objects.requireNonNull(name, "name");
        return list().stream()
                .filter(each -> each.definition().name().equals(name))
                .findFirst();
    }

    @Override
    public void set(LimitDefinition definition) {
        calls.set(Objects.requireNonNull(definition, "definition"));
    }

    @Override
    public boolean remove(String name) {
        return calls.remove(Objects.requireNonNull(name, "name"));
    }

    @Override
    public void useForType(String type, Map<String, String> keys) {
        calls.useForType(Objects.requireNonNull(type, "type"), shared(keys));
    }

    @Override
    public void useForQueue(String queue, Map<String, String> keys) {
        calls.useForQueue(Objects.requireNonNull(queue, "queue"), shared(keys));
    }

    private static Map<String, @Nullable String> shared(Map<String, String> keys) {
        Objects.requireNonNull(keys, "keys");
        Map<String, @Nullable String> shared = new TreeMap<>();
        keys.forEach((limit, key) -> shared.put(limit, key.isEmpty() ? null : key));
        return shared;
    }

    @Override
    public LanePage lanes(String limit, JobCursor after, int max) {
        return lanes(limit, after, max, false);
    }

    @Override
    public LanePage blockedLanes(String limit, JobCursor after, int max) {
        return lanes(limit, after, max, true);
    }

    private LanePage lanes(String limit, JobCursor after, int max, boolean blocked) {
        Objects.requireNonNull(limit, "limit");
        return lanes.find(limit, Objects.requireNonNull(after, "after"), max, blocked);
    }

    @Override
    public boolean releaseLane(String limit, String key) {
        return lanes.release(Objects.requireNonNull(limit, "limit"), Objects.requireNonNull(key, "key"));
    }

    @Override
    public void closeLane(String limit, String key, Instant until) {
        Objects.requireNonNull(limit, "limit");
        lanes.close(limit, Objects.requireNonNull(key, "key"), Objects.requireNonNull(until, "until"));
    }
}
