package dev.jobqueue.test;

import dev.jobqueue.JobContext;
import dev.jobqueue.spi.ManualWorker;
import dev.jobqueue.spi.ManualWorker.WorkerCrash;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/** Runs the jobs that are due, and lets time pass between them. */
final class TestNode {

    /** How long another test may hold a schedule. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(10);

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
    private @Nullable IllegalStateException misuse;

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

    /** Whether a handler runs now. */
    boolean isHandling() {
        return handling;
    }

    /** Does something that handles jobs: not within a handler, and not on two threads at once. */
    int count(Runnable work) {
        Thread current = Thread.currentThread();
        Thread other = user.compareAndExchange(null, current);
        if (other == current) {
            misuse = new IllegalStateException(
                    "A handler runs now, and cannot wait for other jobs to be handled. Only advance, setTime and"
                            + " loseLease"
                            + " may be called within a handler.");
            throw misuse;
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
        Instant deadline = Instant.now().plus(PATIENCE);
        while (isDue(worker().promote())) {
            worker().fireSchedules();
            reader.allowToIdle();
            if (isDue(worker().promote())) {
                // another test that runs at the same time has fired a schedule, and rolls back soon
                if (Instant.now().isAfter(deadline)) {
                    throw new AssertionError("A schedule is due, and somebody else has held it for " + PATIENCE);
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    private boolean isDue(Optional<Instant> next) {
        return next.isPresent() && !next.get().isAfter(time.now());
    }

    Optional<UUID> handleNext(@Nullable String type) {
        try {
            return worker().handleNext(type, watch);
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
