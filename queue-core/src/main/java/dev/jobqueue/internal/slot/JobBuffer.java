package dev.jobqueue.internal.slot;

import dev.jobqueue.internal.handle.BundledRun;
import dev.jobqueue.internal.handle.RunningJob;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Jobs that were claimed and that no slot has taken yet, in claim order. */
final class JobBuffer {

    private final Deque<RunningJob> jobs = new ConcurrentLinkedDeque<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final long maxBytes;

    /**
     * @param maxBytes how many bytes of payloads there may be before no more is claimed, and in a bundle
     */
    JobBuffer(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /** Counts the jobs before it adds them, so that the count is never less than the jobs there are. */
    void addAll(List<RunningJob> added) {
        size.addAndGet(added.size());
        bytes.addAndGet(added.stream().mapToLong(RunningJob::bytes).sum());
        jobs.addAll(added);
    }

    @Nullable
    RunningJob pollFirst() {
        return taken(jobs.pollFirst());
    }

    /** Takes jobs of the same type as the first, which was taken, as long as they come one after the other. */
    List<BundledRun> pollLike(BundledRun first) {
        // large enough for all: a job that found no place would be lost
        List<BundledRun> bundle = new ArrayList<>(first.most());
        bundle.add(first);
        long left = maxBytes - first.bytes();
        while (bundle.size() < first.most()
                && jobs.peekFirst() instanceof BundledRun next
                && next.type().equals(first.type())
                && next.bytes() <= left) {
            // another slot may have been quicker
            if (jobs.removeFirstOccurrence(next)) {
                taken(next);
                left -= next.bytes();
                bundle.add(next);
            }
        }
        return bundle;
    }

    /** Counts the bytes of a bundle too, until they are {@linkplain #free freed}, and returns them. */
    long hold(List<BundledRun> bundle) {
        long held = 0;
        // an iterator would need memory: the bundle must not be lost without any
        for (int i = 0; i < bundle.size(); i++) {
            held += bundle.get(i).bytes();
        }
        bytes.addAndGet(held);
        return held;
    }

    void free(long held) {
        bytes.addAndGet(-held);
    }

    @Nullable
    RunningJob pollLast() {
        return taken(jobs.pollLast());
    }

    List<RunningJob> drain() {
        List<RunningJob> drained = new ArrayList<>();
        for (RunningJob job = pollFirst(); job != null; job = pollFirst()) {
            drained.add(job);
        }
        return drained;
    }

    private @Nullable RunningJob taken(@Nullable RunningJob job) {
        if (job != null) {
            size.decrementAndGet();
            bytes.addAndGet(-job.bytes());
        }
        return job;
    }

    boolean isEmpty() {
        return jobs.isEmpty();
    }

    int size() {
        return size.get();
    }

    long maxBytes() {
        return maxBytes;
    }

    /** About how much of the heap they and the bundles in hand take. */
    long bytes() {
        return bytes.get();
    }

    /** Whether that is so much that no more should be claimed. */
    boolean isFull() {
        return bytes() >= maxBytes;
    }
}
