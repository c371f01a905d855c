package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.LeaseLostException;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Leftovers;
import dev.jobqueue.internal.handle.RunningJob.Stop;
import dev.jobqueue.internal.settle.Outcome;
import dev.jobqueue.spi.BundledJob;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls handlers that take many jobs at once, and tells the settler how each of the jobs ended. */
public final class BundleRunner {

    private static final Logger log = LoggerFactory.getLogger(BundleRunner.class);

    private static final String LEFT_OPEN = "The handler returned and left the job open."
            + " Call complete(), fail() or release() of each job of a bundle before it returns.";

    private final HandlerRegistry handlers;
    private final Json json;
    private final JobRunner runner;
    private final Consumer<Outcome> settler;

    /**
     * @param runner tells how runs ended, from what their handler did
     */
    public BundleRunner(HandlingSetup setup, JobRunner runner, Consumer<Outcome> settler) {
        this.handlers = setup.application().handlers();
        this.json = setup.application().json();
        this.runner = runner;
        this.settler = settler;
    }

    /** Handles the jobs, which are of one type. All of them are ended afterwards. */
    public void run(List<BundledRun> jobs) {
        try {
            call(jobs);
        } finally {
            // none is left, unless there is no memory even for the call
            for (int i = 0; i < jobs.size(); i++) {
                BundledRun job = jobs.get(i);
                if (job.tryEnd()) {
                    settler.accept(job.untold());
                }
            }
        }
    }

    private void call(List<BundledRun> jobs) {
        BundledRun first = jobs.get(0);
        Call call = new Call(jobs);
        Leftovers leftovers = Leftovers.watch();
        Throwable thrown = null;
        try {
            handle(call, Objects.requireNonNull(handlers.find(first.type())));
        } catch (Throwable ex) {
            thrown = ex;
        }
        boolean told = call.leave(thrown);
        if (thrown != null && !told && !(thrown instanceof InterruptedException)) {
            log.warn("The handler of '{}' threw when all jobs of its bundle had ended", first.type(), thrown);
        }
        leftovers.remove(first.type(), first.id());
    }

    private void handle(Call call, HandlerDefinition handler) throws Exception {
        List<BundledJob<Object>> open = new ArrayList<>();
        for (BundledRun job : call.jobs) {
            if (begins(job, call, handler)) {
                open.add(job);
            }
        }
        open.removeIf(job -> !job.isOpen());
        if (!open.isEmpty()) {
            Objects.requireNonNull(handler.bundleFunction()).handle(open);
        }
    }

    /** Ends the run if it must not begin, or if its payload cannot be read. */
    private boolean begins(BundledRun job, Call call, HandlerDefinition handler) {
        if (!job.enter(call)) {
            call.endLeft(job, null);
            return false;
        }
        runner.tellStarted(job);
        try {
            Object payload = json.readPayload(job.claimed().payload(), handler.payloadType());
            job.read(handler.payloadType() == Void.class ? null : payload);
            return true;
        } catch (Throwable ex) {
            call.fail(job, ex);
            return false;
        }
    }

    /**
     * One call of a handler: its jobs, and the thread it is made on. Whoever tells it of a job holds no lock of a run.
     * Ending a job never throws: the others must end too.
     */
    final class Call {

        /** An array, because walking through it needs no memory. */
        final BundledRun[] jobs;

        private @Nullable Thread thread = Thread.currentThread();

        private Call(List<BundledRun> jobs) {
            this.jobs = jobs.toArray(BundledRun[]::new);
        }

        boolean complete(BundledRun job, @Nullable Object result) {
            return job.isOpen() && end(job, completed(job, result));
        }

        boolean fail(BundledRun job, Throwable cause) {
            return job.isOpen() && end(job, threw(job, cause));
        }

        boolean release(BundledRun job) {
            return job.isOpen() && end(job, job.released());
        }

        /** The handler has returned or thrown: returns whether this ended one of the jobs. */
        private boolean leave(@Nullable Throwable thrown) {
            synchronized (this) {
                // from now on it belongs to the next jobs: no late interrupt reaches it
                thread = null;
                Thread.interrupted();
            }
            boolean ended = false;
            for (BundledRun job : jobs) {
                ended |= endLeft(job, thrown);
            }
            for (BundledRun job : jobs) {
                job.leave();
            }
            return ended;
        }

        /** Ends a job that nobody has ended. Its series may be broken at this moment: then it is given back. */
        private boolean endLeft(BundledRun job, @Nullable Throwable thrown) {
            return !job.isEnded() && (end(job, left(job, thrown)) || end(job, job.released()));
        }

        private Outcome left(BundledRun job, @Nullable Throwable thrown) {
            if (job.isBehindBreak() || (job.stopped() == null && !job.hasBegun())) {
                return job.released();
            }
            try {
                if (job.stopped() != null) {
                    return JobRunner.stopped(job);
                }
                if (thrown != null) {
                    return threw(job, thrown);
                }
                Duration snooze = job.context().snoozed();
                return snooze != null ? new Outcome.Snoozed(job, snooze) : new Outcome.Threw(job, LEFT_OPEN, true);
            } catch (Throwable another) {
                return job.untold();
            }
        }

        private Outcome completed(BundledRun job, @Nullable Object result) {
            try {
                return runner.returned(job, result);
            } catch (Throwable thrown) {
                return threw(job, thrown);
            }
        }

        private static Outcome threw(BundledRun job, Throwable thrown) {
            try {
                return JobRunner.threw(job, thrown instanceof LeaseLostException ? ofAnother(thrown) : thrown);
            } catch (Throwable another) {
                return job.untold();
            }
        }

        /** The job is open, so it has its own lease. */
        private static Throwable ofAnother(Throwable lost) {
            return new IllegalStateException("Another job of the bundle has lost its lease", lost);
        }

        private boolean end(BundledRun job, Outcome outcome) {
            boolean ends = job.tryEnd(outcome);
            if (ends) {
                settler.accept(outcome);
                releaseBehind(job);
            }
            return ends;
        }

        /** Gives back what is left of the series that this job has broken, if it has. */
        private void releaseBehind(BundledRun job) {
            if (job.hasBroken()) {
                for (BundledRun other : jobs) {
                    if (other.isBehind(job) && other.tryEnd()) {
                        settler.accept(other.released());
                    }
                }
            }
        }

        /** One of the jobs was stopped; if it timed out, it has ended already. */
        void stopped(BundledRun job, Stop reason) {
            if (reason == Stop.SHUTDOWN) {
                // mark all as stopped first: what the interrupt makes fail counts no attempt
                for (BundledRun each : jobs) {
                    each.mark(reason);
                }
                interrupt(null);
                return;
            }
            boolean ended = reason == Stop.TIMED_OUT || endLeft(job, null);
            releaseBehind(job);
            if (ended && !hasOpen()) {
                interrupt(job);
            }
        }

        private boolean hasOpen() {
            boolean found = false;
            for (BundledRun job : jobs) {
                found |= job.isOpen();
            }
            return found;
        }

        /** Interrupts the thread, for the last job that was open; for {@code null} if the node stops. */
        private synchronized void interrupt(@Nullable BundledRun last) {
            if (thread != null) {
                thread.interrupt();
            }
            if (thread != null && last != null) {
                last.thread(thread);
            }
        }
    }
}
