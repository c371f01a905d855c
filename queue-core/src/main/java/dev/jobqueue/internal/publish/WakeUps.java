package dev.jobqueue.internal.publish;

import dev.jobqueue.internal.Loop;
import dev.jobqueue.internal.Outage;
import dev.jobqueue.internal.claim.DirectLeases;
import dev.jobqueue.internal.extend.QueueEvents;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells workers that committed jobs wait: the worker of this JVM at once, the others by a notification that a thread of
 * its own sends. All jobs that are published while one notification is on its way share the next. No publisher waits
 * for a notification: NOTIFY inside a transaction takes a lock that all committing transactions of the database share.
 */
public final class WakeUps {

    private static final Duration CLOSE_WAIT = Duration.ofSeconds(1);

    /**
     * The pause after a notification. The first notification is sent at once; the longer publishing goes on, the longer
     * the pause, so that more jobs share a notification.
     */
    private static final Duration SHORTEST_GAP = Duration.ofMillis(2);

    private static final Duration LONGEST_GAP = Duration.ofMillis(8);

    private final PublishCalls publications;
    private final boolean inTransaction;
    private final QueueEvents events;
    private final LocalWorker worker;
    private final Outage outage = new Outage("Waking other nodes");
    private final Loop loop = Loop.daemon("queue-notifier", this::round);
    private Set<String> waiting = new HashSet<>();
    private Duration gap = SHORTEST_GAP;

    /**
     * @param worker the worker of this JVM
     * @param inTransaction whether publishing itself notifies the others, within the transaction
     */
    public WakeUps(PublishCalls publications, LocalWorker worker, boolean inTransaction, QueueEvents events) {
        this.publications = publications;
        this.worker = worker;
        this.inTransaction = inTransaction;
        this.events = events;
    }

    public void start() {
        if (!inTransaction) {
            loop.start();
        }
    }

    /** The thread that sends the notifications. */
    public Loop loop() {
        return loop;
    }

    public Outage outage() {
        return outage;
    }

    /** Waits for the notification that is on its way, because the pool is closed next. */
    public void close() throws InterruptedException {
        loop.end();
        loop.join(CLOSE_WAIT);
    }

    boolean followsJobs() {
        return events.followsJobs();
    }

    /** Whether whoever makes jobs pending notifies other nodes within the transaction. */
    public boolean inTransaction() {
        return inTransaction;
    }

    void published(PublishedJobs jobs) {
        jobs.tell(events);
        Set<String> queues = jobs.queues();
        jobs.leases().forEach(worker::committed);
        worker.wake(queues);
        if (jobs.areFlowsChanged()) {
            worker.flowsChanged();
        }
        tellOthers(queues);
    }

    /** Tells other nodes that these queues have jobs, unless publishing itself does. */
    public void tellOthers(Set<String> queues) {
        if (!inTransaction && !queues.isEmpty()) {
            boolean first;
            synchronized (this) {
                first = waiting.isEmpty();
                waiting.addAll(queues);
            }
            if (first) {
                loop.wake();
            }
        }
    }

    @Nullable
    DirectLeases offer(List<NewJob> jobs) {
        return worker.offer(jobs);
    }

    void withdrawn(DirectLeases leases) {
        worker.withdrawn(leases);
    }

    private void round() {
        Set<String> queues = take();
        if (queues.isEmpty()) {
            gap = SHORTEST_GAP;
            loop.park(Long.MAX_VALUE);
            return;
        }
        outage.begins();
        try {
            publications.wake(queues);
            outage.over();
            // for the whole of it, although every publisher wakes this thread meanwhile
            loop.pause(gap);
            gap = gap.compareTo(LONGEST_GAP) < 0 ? gap.multipliedBy(2) : LONGEST_GAP;
        } catch (RuntimeException ex) {
            // a hint only: the others poll, so it is not tried again
            loop.park(outage.failed(ex).toNanos());
        }
    }

    private synchronized Set<String> take() {
        if (waiting.isEmpty()) {
            return Set.of();
        }
        Set<String> taken = waiting;
        waiting = new HashSet<>();
        return taken;
    }
}
