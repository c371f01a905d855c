package dev.jobqueue.test;

import static java.util.stream.Collectors.joining;

import dev.jobqueue.JobContext;
import dev.jobqueue.spi.ManualWorker;
import dev.jobqueue.spi.ManualWorker.WorkerCrash;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Runs the jobs that are due, and lets time pass between them. */
final class TestNode {

    private final ObjectProvider<ManualWorker> workers;
    private final JobReader reader;
    private final QueueTime time;
    private final Watch watch = new Watch();
    private final Attempts attempts = new Attempts();
    private final Faults faults = new Faults();

    /** The thread that is in a call. */
    private final AtomicReference<@Nullable Thread> user = new AtomicReference<>();

    private @Nullable ManualWorker worker;
    private volatile boolean handling;
    private volatile @Nullable IllegalStateException misuse;

    TestNode(ObjectProvider<ManualWorker> workers, JobReader reader, QueueTime time) {
        this.workers = workers;
        this.reader = reader;
        this.time = time;
    }

    /** Asked for late: it is there when the application has started. */
    ManualWorker worker() {
        ManualWorker found = worker;
        if (found == null) {
            found = workers.getObject();
            worker = found;
        }
        return found;
    }

    Attempts attempts() {
        return attempts;
    }

    Faults faults() {
        return faults;
    }

    /** Whether a handler runs now, and calls this. */
    boolean isHandling() {
        refuseOtherThreads();
        return handling;
    }

    /** While a handler runs, only its own thread has the transaction of the test. */
    void refuseOtherThreads() {
        if (handling && user.get() != Thread.currentThread()) {
            throw refused("A handler runs now: call advance, setTime and loseLease on its thread, not on '%s'"
                    .formatted(Thread.currentThread().getName()));
        }
    }

    private IllegalStateException refused(String message) {
        IllegalStateException refused = new IllegalStateException(message);
        misuse = refused;
        return refused;
    }

    /** Does something that handles jobs: not within a handler, and not on two threads at once. */
    int count(Runnable work) {
        Thread current = Thread.currentThread();
        Thread other = user.compareAndExchange(null, current);
        if (other == current) {
            throw refused("A handler runs now, and cannot wait for other jobs to be handled. Only advance, setTime and"
                    + " loseLease may be called within a handler.");
        }
        if (other != null) {
            throw new IllegalStateException(
                    "Thread '%s' handles jobs with this JobTester now: it is for one thread only"
                            .formatted(other.getName()));
        }
        attempts.startAnew();
        try {
            work.run();
            return attempts.count();
        } finally {
            user.set(null);
        }
    }

    void requireHandler(String type) {
        if (!worker().handlers().containsKey(type)) {
            throw new IllegalArgumentException(
                    ("No handler of this test takes jobs of type '%s'; there are handlers for %s. Does the test"
                                    + " have the bean with the handler?")
                            .formatted(type, new TreeSet<>(worker().handlers().keySet())));
        }
    }

    void drain(@Nullable String type) {
        boolean more = true;
        while (more) {
            wakeUp();
            more = false;
            while (handleNext(type).isPresent()) {
                more = true;
                attempts.refuseMoreThanTheLimit();
            }
        }
    }

    /** Moves on to each time at which something falls due, and handles it. */
    void pass(Instant target) {
        Optional<Instant> next = worker().promote();
        while (next.isPresent() && !next.get().isAfter(target)) {
            attempts.stop();
            if (next.get().isAfter(time.now())) {
                time.moveTo(next.get());
            }
            drain(null);
            next = worker().promote();
        }
        if (target.isAfter(time.now())) {
            time.moveTo(target);
        }
        drain(null);
    }

    /** Makes pending what is due, and fires schedules. */
    void wakeUp() {
        Patience patience = new Patience();
        while (isDue(worker().promote())) {
            worker().fireSchedules();
            reader.allowToIdle();
            if (isDue(worker().promote())) {
                // another test that runs at the same time has fired a schedule, and rolls back soon
                patience.pause("A schedule is due");
            }
        }
    }

    private boolean isDue(Optional<Instant> next) {
        return next.isPresent() && !next.get().isAfter(time.now());
    }

    /** Handles the next job; waits for limits that another test holds, which a node would be told of later. */
    Optional<UUID> handleNext(@Nullable String type) {
        Patience patience = new Patience();
        Optional<UUID> handled = attempt(type);
        while (handled.isEmpty()) {
            Set<String> types = type == null ? worker().handlers().keySet() : Set.of(type);
            List<String> held = reader.heldLimits(types, worker().queues());
            if (held.isEmpty()) {
                return handled;
            }
            patience.pause("Jobs wait for "
                    + held.stream().map("limit '%s'"::formatted).collect(joining(" and ")));
            handled = attempt(type);
        }
        return handled;
    }

    private Optional<UUID> attempt(@Nullable String type) {
        int before = attempts.count();
        try {
            Optional<UUID> handled = worker().handleNext(type, watch);
            if (handled.isPresent() && attempts.count() == before) {
                // it ended before its handler was called, because of its payload for example
                worker().find(List.of(handled.get())).forEach(job -> attempts.add(job.type()));
            }
            return handled;
        } finally {
            handling = false;
            refuseMisuse();
        }
    }

    /** The handler has got it too, but that would be one more attempt that threw. */
    private void refuseMisuse() {
        IllegalStateException found = misuse;
        if (found != null) {
            misuse = null;
            throw found;
        }
    }

    /** What is seen of the attempts. */
    private final class Watch implements ManualWorker.Watch {

        @Override
        public Instant now() {
            return time.now();
        }

        @Override
        public void begins(JobContext job) {
            handling = true;
            attempts.add(job.type());
            if (faults.losesLease()) {
                worker().loseLease();
            }
        }

        @Override
        public void stepped(JobContext job, String step) {
            if (faults.crashesAfter(job, step)) {
                throw new WorkerCrash("The node died after step '%s' of job %s".formatted(step, job.id()));
            }
        }

        @Override
        public void flush() {
            PersistenceContexts.flush();
        }

        @Override
        public void rolledBack() {
            PersistenceContexts.clear();
            time.applyAgain();
        }
    }
}
