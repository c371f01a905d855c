package dev.jobqueue.internal.publish;

import dev.jobqueue.PublishResult;
import dev.jobqueue.internal.DatabaseErrors;
import dev.jobqueue.internal.claim.DirectLeases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Publishes outside of transactions. One caller at a time goes to the database and takes along what all the others have
 * handed in by then, so concurrent callers share a statement and its commit; each returns only after its commit. Jobs
 * that may have to wait for somebody's transaction are published by their caller alone: the others must not wait with
 * them. Such a caller holds no connection while it waits, because many of them would use up the pool. A caller in the
 * callbacks of a transaction has a connection already, so it does not wait for another caller that needs one.
 *
 * <p>After a shared call, the next caller gives those who shared it a moment to come back with their next job. Without
 * that moment callers split into two halves that wait for each other in turn. A caller who is alone never waits.
 */
public final class GroupCommit {

    private static final int MAX_BATCH = 1_000;

    /** Of the payloads and headers that go together, in characters: they are copied several times on the way. */
    static final long MAX_LENGTH = 1_000_000;

    /** A call with more characters than this goes alone: it would gain nothing from sharing a commit. */
    private static final long LARGE = MAX_LENGTH / 10;

    private static final long MOMENT_NANOS = 400_000;

    /** How long somebody waits on a connection for a key or an id that another transaction publishes. */
    private static final Duration LOCK_WAIT = Duration.ofMillis(100);

    private static final int SHORTEST_PAUSE_MILLIS = 10;
    private static final int LONGEST_PAUSE_MILLIS = 500;

    private final PublishCalls publications;
    private final PublishCalls brief;
    private final WakeUps wakeUps;
    private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean busy = new AtomicBoolean();

    /** How many went together the last time; the caller that goes waits for as many. */
    private volatile int companions;

    /**
     * @param publications never in the transaction, or other transactional scope, of the caller that goes for all
     */
    public GroupCommit(PublishCalls publications, WakeUps wakeUps) {
        this.publications = publications;
        this.brief = publications.waitingForLocks(LOCK_WAIT);
        this.wakeUps = wakeUps;
    }

    WakeUps wakeUps() {
        return wakeUps;
    }

    List<PublishResult> publish(List<NewJob> jobs) {
        if (jobs.stream().anyMatch(NewJob::mayWaitForOthers)) {
            return publishInTurns(jobs);
        }
        boolean alone = jobs.size() >= MAX_BATCH || NewJob.length(jobs) >= LARGE || publications.hasConnection();
        return alone ? publishNow(publications, jobs) : publishWithOthers(jobs);
    }

    /** Tries until nobody holds a key or an id of these jobs any more; an interrupt ends it. */
    private List<PublishResult> publishInTurns(List<NewJob> jobs) {
        for (int pause = SHORTEST_PAUSE_MILLIS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
            try {
                return publishNow(brief, jobs);
            } catch (RuntimeException ex) {
                if (!DatabaseErrors.isLocked(ex)) {
                    throw ex;
                }
                try {
                    Thread.sleep(pause / 2 + ThreadLocalRandom.current().nextInt(pause));
                } catch (InterruptedException interrupt) {
                    Thread.currentThread().interrupt();
                    throw ex;
                }
            }
        }
    }

    private List<PublishResult> publishNow(PublishCalls publications, List<NewJob> jobs) {
        DirectLeases leases = wakeUps.offer(jobs);
        try {
            List<PublishResult> answers = publications.publishWithOutcome(jobs, wakeUps.inTransaction(), leases);
            new PublishedJobs(wakeUps).expect(leases).add(jobs, answers, leases).run();
            return answers;
        } catch (RuntimeException | Error ex) {
            if (leases != null) {
                wakeUps.withdrawn(leases);
            }
            throw ex;
        }
    }

    private List<PublishResult> publishWithOthers(List<NewJob> jobs) {
        Request request = new Request(jobs, Thread.currentThread());
        requests.add(request);
        waiting.incrementAndGet();
        boolean interrupted = awaitAnswer(request);
        try {
            // no memory, for instance: maybe because of the others. It may be committed: the ids make no second jobs
            boolean again = request.shared && request.failure instanceof Error;
            return again ? publishInTurns(jobs.stream().map(NewJob::again).toList()) : request.result();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Returns whether the caller was interrupted. An interrupt waits until there is an answer: it must not make the
     * jobs of others fail, nor hide that the job of this caller is committed.
     */
    private boolean awaitAnswer(Request request) {
        boolean interrupted = Thread.interrupted();
        while (!request.done) {
            if (!publishForAll(request)) {
                LockSupport.park(this);
            }
            interrupted |= Thread.interrupted();
        }
        return interrupted;
    }

    /**
     * Publishes the jobs of all callers who wait, unless the own ones are published.
     *
     * @return {@code false} if another caller is doing that
     */
    private boolean publishForAll(Request own) {
        // made before the turn is taken: without memory for it, the turn would never end
        List<Request> batch = new ArrayList<>();
        if (!busy.compareAndSet(false, true)) {
            return false;
        }
        try {
            if (!own.done) {
                awaitCompanions();
                takeNext(batch);
                publishTogether(batch);
            }
        } catch (Error ex) {
            // nobody who was taken along waits for ever
            batch.forEach(each -> each.finish(List.of(), ex));
        } finally {
            busy.set(false);
            wakeNext();
            wake(batch);
        }
        return true;
    }

    /** Yields instead of parking: to be woken by the last caller would take a good part of the moment. */
    @SuppressWarnings("ThreadPriorityCheck") // a hint to the scheduler, nothing more
    private void awaitCompanions() {
        if (companions > 1) {
            long end = System.nanoTime() + MOMENT_NANOS;
            while (waiting.get() < companions && System.nanoTime() - end < 0) {
                Thread.yield();
            }
        }
    }

    private void takeNext(List<Request> batch) {
        int size = 0;
        long length = 0;
        for (Request next = requests.peek(); next != null; next = requests.peek()) {
            size += next.jobs.size();
            length += NewJob.length(next.jobs);
            if (!batch.isEmpty() && (size > MAX_BATCH || length > MAX_LENGTH)) {
                break;
            }
            batch.add(next);
            requests.remove();
        }
        batch.forEach(each -> each.shared = batch.size() > 1);
        companions = batch.size();
        waiting.addAndGet(-batch.size());
    }

    private void publishTogether(List<Request> batch) {
        List<NewJob> jobs = batch.size() == 1
                ? batch.get(0).jobs
                : batch.stream().flatMap(each -> each.jobs.stream()).toList();
        if (jobs.isEmpty()) {
            return;
        }
        try {
            List<PublishResult> answers = publishNow(publications, jobs);
            int from = 0;
            for (Request request : batch) {
                request.finish(answers.subList(from, from + request.jobs.size()), null);
                from += request.jobs.size();
            }
        } catch (RuntimeException ex) {
            if (batch.size() == 1 || DatabaseErrors.isAway(ex)) {
                batch.forEach(each -> each.finish(List.of(), ex));
            } else {
                // nobody pays for another caller's mistake
                batch.forEach(each -> publishTogether(List.of(each)));
            }
        } catch (Error ex) {
            batch.forEach(each -> each.finish(List.of(), ex));
        }
    }

    /** Wakes the last to come first, because all are back a little sooner that way. */
    private static void wake(List<Request> batch) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            batch.get(i).wake();
        }
    }

    private void wakeNext() {
        Request next = requests.peek();
        if (next != null) {
            LockSupport.unpark(next.caller);
        }
    }

    private static final class Request {

        private final List<NewJob> jobs;
        private final Thread caller;
        private List<PublishResult> answers = List.of();
        private @Nullable Throwable failure;
        private boolean shared = true;
        private volatile boolean done;

        Request(List<NewJob> jobs, Thread caller) {
            this.jobs = jobs;
            this.caller = caller;
        }

        void finish(List<PublishResult> published, @Nullable Throwable thrown) {
            if (done) {
                return;
            }
            answers = published;
            failure = thrown;
            done = true;
        }

        void wake() {
            if (caller != Thread.currentThread()) {
                LockSupport.unpark(caller);
            }
        }

        List<PublishResult> result() {
            if (failure instanceof Error error) {
                throw error;
            }
            if (failure instanceof RuntimeException exception) {
                throw exception;
            }
            return answers;
        }
    }
}
