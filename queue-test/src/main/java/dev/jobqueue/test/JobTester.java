package dev.jobqueue.test;

import dev.jobqueue.JobContext;
import dev.jobqueue.JobState;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.spi.ManualWorker;
import dev.jobqueue.spi.ManualWorker.WorkerCrash;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;

/**
 * Runs the jobs of an application in its tests, on the thread of the test and in its transaction. A test that rolls back
 * leaves nothing behind, neither a job nor a notification; without a transaction everything commits as in production.
 *
 * <pre>{@code
 * orders.place("ada@example.org");
 * assertThat(jobs).published("invoice.send").once();
 * jobs.drain();
 * assertThat(jobs).completed("invoice.send");
 * }</pre>
 *
 * <p>The time of the queue is that of the machine until a test moves it; each test method starts with the real time. A
 * handler joins the transaction of the test. What a transactional handler wrote is rolled back when it throws. What another
 * handler wrote stays, as in production, unless it broke the transaction; steps stay in any case. For one thread only.
 */
public final class JobTester implements AssertProvider<JobsAssert> {

    private static final int USUAL_LIMIT = 10_000;

    /** How long another test may hold a schedule. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private final ObjectProvider<ManualWorker> workers;
    private final JobReader reader;
    private final DataSource dataSource;
    private final TestClock clock;
    private final Watch watch = new Watch();
    private final Map<String, Integer> handled = new TreeMap<>();
    private @Nullable ManualWorker worker;
    private int limit = USUAL_LIMIT;
    private @Nullable String crashAfter;
    private boolean losesLease;
    private boolean running;

    JobTester(ObjectProvider<ManualWorker> workers, JobReader reader, DataSource dataSource, TestClock clock) {
        this.workers = workers;
        this.reader = reader;
        this.dataSource = dataSource;
        this.clock = clock;
    }

    /**
     * Handles jobs until none is due: those that are pending, those that their handlers publish, and those of schedules.
     * Attempts that throw are settled as in production, and their jobs wait for their backoff.
     *
     * @return how many attempts there were
     * @throws AssertionError if there are more than the {@linkplain #limit(int) limit}
     */
    public int drain() {
        return counted(() -> drainDue(null));
    }

    /**
     * Handles jobs of one type until none is due; others stay where they are.
     *
     * @param type the type
     * @return how many attempts there were
     */
    public int drain(String type) {
        return counted(() -> drainDue(type));
    }

    /**
     * Handles jobs until none is due and none waits for another attempt; the time moves on to each of these. Jobs that were
     * published for later and are not due by then stay.
     *
     * @return how many attempts there were
     */
    public int drainIncludingRetries() {
        return counted(() -> {
            drainDue(null);
            for (Optional<Instant> next = nextRetry(); next.isPresent(); next = nextRetry()) {
                pass(next.get());
            }
        });
    }

    private Optional<Instant> nextRetry() {
        return reader.all().stream()
                .filter(job -> job.state() == JobState.SCHEDULED && job.attempt() > 0)
                .map(JobDetails::runAt)
                .min(Instant::compareTo);
    }

    /**
     * Handles the next job that is due.
     *
     * @return the job as it is after that; nothing if none is due
     */
    public Optional<JobDetails> runNext() {
        ready();
        wakeUp();
        return handleNext(null).flatMap(reader::find);
    }

    /**
     * Lets time pass, as with a worker that is up: jobs and schedules are handled when they fall due, so that backoffs,
     * delays and recurring jobs have happened afterwards. Within a handler it moves the clock only, for an attempt that
     * takes its time.
     *
     * @param duration how much time
     * @return this
     * @throws AssertionError if there are more attempts than the {@linkplain #limit(int) limit}
     */
    public JobTester advance(Duration duration) {
        Instant target = now().plus(duration);
        if (running) {
            moveTo(target);
        } else {
            counted(() -> {
                drainDue(null);
                pass(target);
            });
        }
        return this;
    }

    /**
     * Sets the clock; it goes on from there. Nothing happens meanwhile, as if no node had been up: what is due by then is
     * handled by the next {@link #drain()}, and schedules do what their misfire policy says.
     *
     * @param time the time
     * @return this
     */
    public JobTester setTime(Instant time) {
        moveTo(time);
        return this;
    }

    /** {@return the time of the queue} */
    public Instant now() {
        return clock.instant();
    }

    /** {@return a clock with the time of the queue, for the application under test; it is a bean if no other one is} */
    public Clock clock() {
        return clock;
    }

    /**
     * All jobs that the test can see, in the order in which they were published: live, dead, and ended ones that are still
     * in the history.
     *
     * @return the jobs
     */
    public List<JobDetails> publishedJobs() {
        PersistenceContexts.flush();
        return reader.all();
    }

    /**
     * Lets the node die in the next attempt that finishes this step: the handler is left, and the job is rescued and tried
     * again with the step done.
     *
     * @param step the name of the step
     * @return this
     */
    public JobTester crashAfter(String step) {
        crashAfter = step;
        return this;
    }

    /**
     * Takes the lease from a job whose handler runs, as if the node had been presumed dead: at once if a handler runs, else
     * when the next one begins. What that handler tells the queue does not count any more, and the job is tried again.
     *
     * @return this
     */
    public JobTester loseLease() {
        if (running) {
            worker().loseLease();
        } else {
            losesLease = true;
        }
        return this;
    }

    /**
     * How many attempts one call may take before it is given up: jobs that publish themselves would go on for ever. The
     * default is 10,000; each test method starts with it.
     *
     * @param attempts how many
     * @return this
     */
    public JobTester limit(int attempts) {
        limit = attempts;
        return this;
    }

    /**
     * Deletes all jobs, also ended ones, and goes back to the real time. For tests that commit; settings and schedules
     * stay, and schedules count from now on.
     *
     * @return this
     */
    public JobTester deleteAll() {
        reader.deleteAll();
        reset();
        return this;
    }

    /** For AssertJ: {@code assertThat(jobs)}. */
    @Override
    public JobsAssert assertThat() {
        return new JobsAssert(this);
    }

    /** The next test starts with the real time and nothing armed. */
    void reset() {
        clock.offset(Duration.ZERO);
        clock.applyToTransaction(dataSource);
        reader.resetSchedules();
        limit = USUAL_LIMIT;
        crashAfter = null;
        losesLease = false;
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

    private int counted(Runnable work) {
        ready();
        handled.clear();
        work.run();
        return attempts();
    }

    private void ready() {
        if (running) {
            throw new IllegalStateException("A handler runs now: it cannot wait for other jobs to be handled");
        }
        handled.clear();
    }

    private int attempts() {
        return handled.values().stream().mapToInt(Integer::intValue).sum();
    }

    private void drainDue(@Nullable String type) {
        boolean more = true;
        while (more) {
            wakeUp();
            more = false;
            while (handleNext(type).isPresent()) {
                more = true;
                refuseMoreThanTheLimit();
            }
        }
    }

    /** Moves on to each time at which something falls due, and handles it. */
    private void pass(Instant target) {
        Optional<Instant> next = worker().promote();
        while (next.isPresent() && !next.get().isAfter(target)) {
            if (next.get().isAfter(now())) {
                moveTo(next.get());
            }
            drainDue(null);
            next = worker().promote();
        }
        if (target.isAfter(now())) {
            moveTo(target);
        }
        drainDue(null);
    }

    /** Makes pending what is due, and fires schedules. */
    private void wakeUp() {
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
        return next.isPresent() && !next.get().isAfter(now());
    }

    private void moveTo(Instant time) {
        clock.offset(Duration.between(Instant.now(), time));
        clock.applyToTransaction(dataSource);
    }

    private Optional<UUID> handleNext(@Nullable String type) {
        try {
            return worker().handleNext(type, watch);
        } finally {
            running = false;
        }
    }

    private void refuseMoreThanTheLimit() {
        if (attempts() > limit) {
            throw new AssertionError("There were %d attempts, and jobs are still due: %s. Do jobs publish themselves?"
                    .formatted(attempts(), counts()));
        }
    }

    private String counts() {
        return handled.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
                .map(each -> "'%s' %d times".formatted(each.getKey(), each.getValue()))
                .collect(Collectors.joining(", "));
    }

    /** What the tester sees of the attempts. */
    private final class Watch implements ManualWorker.Watch {

        @Override
        public Instant now() {
            return clock.instant();
        }

        @Override
        public void begins(JobContext job) {
            running = true;
            handled.merge(job.type(), 1, Integer::sum);
            if (losesLease) {
                losesLease = false;
                worker().loseLease();
            }
        }

        @Override
        public void stepped(JobContext job, String step) {
            if (step.equals(crashAfter)) {
                crashAfter = null;
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
            clock.applyToTransaction(dataSource);
        }
    }
}
