package dev.jobqueue.test;

import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.spi.ManualWorker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.AssertProvider;

/**
 * Runs the jobs of an application in its tests, on the thread of the test and in its transaction. A test that rolls
 * back leaves nothing behind, neither a job nor a notification; without a transaction everything commits as in
 * production.
 *
 * <pre>{@code
 * orders.place("ada@example.org");
 * assertThat(jobs).published("invoice.send").once();
 * jobs.drain();
 * assertThat(jobs).completed("invoice.send");
 * }</pre>
 *
 * <p>The time of the queue is that of the machine until a test moves it; each test method starts with the real time. A
 * handler joins the transaction of the test. What a transactional handler wrote is rolled back when it throws, its
 * steps included. What another handler wrote stays, as in production, unless it broke the transaction; its steps stay
 * in any case. For one thread at a time: test methods that share an application context wait for each other.
 */
public final class JobTester implements AssertProvider<JobsAssert> {

    private final TestNode node;
    private final JobReader reader;
    private final QueueTime time;
    private final TestTurns turns = new TestTurns();

    JobTester(TestNode node, JobReader reader, QueueTime time) {
        this.node = node;
        this.reader = reader;
        this.time = time;
    }

    /**
     * Handles jobs until none is due: those that are pending, those that their handlers publish, and those of
     * schedules. Attempts that throw are settled as in production, and their jobs wait for their backoff.
     *
     * @return how many attempts there were
     * @throws AssertionError if there are more than the {@linkplain #limit(int) limit}
     */
    public int drain() {
        return run(() -> node.drain(null));
    }

    /**
     * Handles jobs of one type until none is due; others stay where they are.
     *
     * @param type the type
     * @return how many attempts there were
     * @throws IllegalArgumentException if no handler takes this type
     * @throws AssertionError if there are more than the {@linkplain #limit(int) limit}
     */
    public int drain(String type) {
        node.requireHandler(type);
        return run(() -> node.drain(type));
    }

    /**
     * Handles jobs until none is due and none waits for another attempt; the time moves on to each of these. Jobs that
     * were published for later, or snoozed before an attempt threw, and are not due by then stay.
     *
     * @return how many attempts there were
     * @throws AssertionError if there are more than the {@linkplain #limit(int) limit}
     */
    public int drainIncludingRetries() {
        return run(() -> {
            node.drain(null);
            for (Optional<Instant> next = reader.nextRetry(); next.isPresent(); next = reader.nextRetry()) {
                node.pass(next.get());
            }
        });
    }

    /**
     * Handles the next job that is due.
     *
     * @return the job as it is after that; nothing if none is due
     */
    public Optional<JobDetails> runNext() {
        List<UUID> handled = new ArrayList<>();
        node.count(() -> {
            node.wakeUp();
            node.handleNext(null).ifPresent(handled::add);
        });
        return handled.stream()
                .findFirst()
                .flatMap(id -> node.worker().find(List.of(id)).stream().findFirst());
    }

    /**
     * Lets time pass, as with a worker that is up: jobs and schedules are handled when they fall due, so that backoffs,
     * delays and recurring jobs have happened afterwards. Within a handler it moves the clock only, for an attempt that
     * takes its time.
     *
     * @param duration how much time
     * @return this
     * @throws IllegalArgumentException if the duration is negative; {@link #setTime} sets the clock back
     * @throws AssertionError if there are more attempts than the {@linkplain #limit(int) limit}
     */
    public JobTester advance(Duration duration) {
        Instant target = time.after(duration);
        if (node.isHandling()) {
            time.moveTo(target);
        } else {
            run(() -> {
                node.drain(null);
                node.pass(target);
            });
        }
        return this;
    }

    /**
     * Sets the clock; it goes on from there. Nothing happens meanwhile, as if no node had been up: what is due by then
     * is handled by the next {@link #drain()}, and schedules do what their misfire policy says. A job that was due
     * stays due if the clock is set back.
     *
     * @param time the time, from 2000 to 2059
     * @return this
     */
    public JobTester setTime(Instant time) {
        node.refuseOtherThreads();
        this.time.moveTo(time);
        return this;
    }

    /** {@return the time of the queue} */
    public Instant now() {
        return time.now();
    }

    /**
     * A clock with the time of the queue, for the application under test. It is a bean, unless the application has a
     * clock: then that one tells the same time if it is a system clock.
     *
     * @return the clock
     */
    public Clock clock() {
        return time.clock();
    }

    /**
     * All jobs that the test can see, by the time at which they were published: live, dead, and ended ones that are
     * still in the history.
     *
     * @return the jobs
     */
    public List<JobDetails> publishedJobs() {
        PersistenceContexts.flush();
        return node.worker().find(reader.ids());
    }

    /**
     * Lets the node die in the next attempt that finishes this step: the handler is left, and the job is rescued and
     * tried again with the step done. Two calls are two crashes. The next {@code drain} or {@code advance}, or the end
     * of the test, fails if no attempt has finished the step.
     *
     * @param step the name of the step
     * @return this
     */
    public JobTester crashAfter(String step) {
        node.faults().crashAfter(step);
        return this;
    }

    /**
     * Takes the lease from a job whose handler runs, as if the node had been presumed dead: at once if a handler runs,
     * else when the next one begins. What that handler tells the queue does not count any more, and the job is tried
     * again. The next {@code drain} or {@code advance}, or the end of the test, fails if no handler has begun.
     *
     * @return this
     */
    public JobTester loseLease() {
        if (node.isHandling()) {
            node.worker().loseLease();
        } else {
            node.faults().loseLease();
        }
        return this;
    }

    /**
     * How many attempts one call may take before it is given up: jobs that publish themselves would go on for ever. The
     * default is 10,000; each test method starts with it.
     *
     * @param attempts how many, at least 1
     * @return this
     */
    public JobTester limit(int attempts) {
        if (attempts < 1) {
            throw new IllegalArgumentException("limit(%d): must be at least 1".formatted(attempts));
        }
        node.attempts().limit(attempts);
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

    ManualWorker worker() {
        return node.worker();
    }

    /** Begins a test method, when no other one that shares this application context runs. */
    void begin(String test) {
        turns.begin(test);
        try {
            reset();
        } catch (RuntimeException ex) {
            turns.end();
            throw ex;
        }
    }

    /**
     * Ends a test method.
     *
     * @param passed whether it passed so far
     */
    void end(boolean passed) {
        try {
            if (passed) {
                node.faults().requireNone();
            }
        } finally {
            try {
                reset();
            } finally {
                turns.end();
            }
        }
    }

    /** Goes back to the real time, with nothing armed. */
    private void reset() {
        time.reset();
        reader.resetSchedules();
        node.attempts().limit(Attempts.USUAL_LIMIT);
        node.faults().clear();
    }

    private int run(Runnable work) {
        int attempts = node.count(work);
        node.faults().requireNone();
        return attempts;
    }
}
