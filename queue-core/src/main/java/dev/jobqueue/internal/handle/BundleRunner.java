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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Calls handlers that take many jobs at once, and tells the settler how each of the jobs ended. */
public final class BundleRunner {

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
        BundledRun first = jobs.get(0);
        Call call = new Call(jobs);
        Leftovers leftovers = Leftovers.watch();
        Throwable thrown = null;
        try {
            handle(jobs, call, Objects.requireNonNull(handlers.find(first.type())));
        } catch (Throwable ex) {
            thrown = ex;
        } finally {
            call.leave();
        }
        for (BundledRun job : jobs) {
            call.endIfOpen(job, thrown);
        }
        leftovers.remove(first.type(), first.id());
    }

    private void handle(List<BundledRun> jobs, Call call, HandlerDefinition handler) throws Exception {
        List<BundledJob<Object>> begun = new ArrayList<>();
        for (BundledRun job : jobs) {
            if (begins(job, call, handler)) {
                begun.add(job);
            }
        }
        List<BundledJob<Object>> open =
                begun.stream().filter(BundledJob::isOpen).toList();
        if (!open.isEmpty()) {
            Objects.requireNonNull(handler.bundleFunction()).handle(open);
        }
    }

    /** Ends the run if it was stopped before it began, or if its payload cannot be read. */
    private boolean begins(BundledRun job, Call call, HandlerDefinition handler) {
        if (!job.enter(call)) {
            call.end(job, () -> JobRunner.stopped(job));
            return false;
        }
        runner.tellStarted(job);
        try {
            Object payload = json.readPayload(job.claimed().payload(), handler.payloadType());
            job.read(handler.payloadType() == Void.class ? null : payload);
            return true;
        } catch (RuntimeException ex) {
            call.fail(job, ex);
            return false;
        }
    }

    /** One call of a handler: its jobs, and the thread it is made on. */
    final class Call {

        private final List<BundledRun> jobs;
        private @Nullable Thread thread = Thread.currentThread();

        /** The job whose end interrupted the thread; {@code null} if none did, or the node stops. */
        private @Nullable BundledRun last;

        private Call(List<BundledRun> jobs) {
            this.jobs = jobs;
        }

        boolean complete(BundledRun job, @Nullable Object result) {
            return end(job, () -> runner.returned(job, result));
        }

        boolean fail(BundledRun job, Throwable cause) {
            return end(job, () -> JobRunner.threw(job, ofThis(cause)));
        }

        boolean release(BundledRun job) {
            return end(job, () -> new Outcome.Released(job, true));
        }

        private void endIfOpen(BundledRun job, @Nullable Throwable thrown) {
            end(job, () -> thrown == null ? leftOpen(job) : JobRunner.threw(job, ofThis(thrown)));
        }

        /** The exception belongs to another job: this one is open, so it has its lease. */
        private static Throwable ofThis(Throwable thrown) {
            return thrown instanceof LeaseLostException
                    ? new IllegalStateException("Another job of the bundle has lost its lease", thrown)
                    : thrown;
        }

        private Outcome leftOpen(BundledRun job) {
            if (job.stopped() != null) {
                return JobRunner.stopped(job);
            }
            Duration snooze = job.context().snoozed();
            return snooze != null ? new Outcome.Snoozed(job, snooze) : new Outcome.Threw(job, LEFT_OPEN, true);
        }

        private boolean end(BundledRun job, Supplier<Outcome> how) {
            if (!job.isOpen()) {
                return false;
            }
            Outcome outcome = outcome(job, how);
            boolean ends = job.tryEnd();
            if (ends) {
                settler.accept(outcome);
            }
            return ends;
        }

        /** Never throws, as {@link JobRunner} never does: the other jobs must end too. */
        private Outcome outcome(BundledRun job, Supplier<Outcome> how) {
            try {
                return how.get();
            } catch (Throwable thrown) {
                return thrownBy(job, thrown);
            }
        }

        private static Outcome thrownBy(BundledRun job, Throwable thrown) {
            try {
                return JobRunner.threw(job, thrown);
            } catch (Throwable another) {
                return JobRunner.untold(job);
            }
        }

        /** One of the jobs was stopped. A job that timed out is settled before this is called. */
        void stopped(BundledRun job, Stop reason) {
            if (reason == Stop.SHUTDOWN) {
                // mark all as stopped first: what the interrupt makes fail counts no attempt
                jobs.forEach(each -> each.stopUntold(reason));
                interruptFor(null);
                return;
            }
            if (job.tryEnd()) {
                settler.accept(JobRunner.stopped(job));
            }
            if (jobs.stream().noneMatch(BundledJob::isOpen)) {
                interruptFor(job);
            }
        }

        private synchronized void interruptFor(@Nullable BundledRun lastOpen) {
            last = lastOpen;
            if (thread != null) {
                thread.interrupt();
            }
        }

        BundledRun first() {
            return jobs.get(0);
        }

        /** The thread, if the end of this run interrupted it. */
        synchronized @Nullable Thread interruptedFor(BundledRun job) {
            return job == last ? thread : null;
        }

        /** After this the calling thread belongs to the next jobs: no late interrupt reaches it. */
        private synchronized void leave() {
            thread = null;
            Thread.interrupted();
        }
    }
}
