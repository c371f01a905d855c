package dev.jobqueue.internal.node;

import dev.jobqueue.internal.claim.Claimer;
import dev.jobqueue.internal.flow.Resolver;
import dev.jobqueue.internal.maintain.Caretaker;
import dev.jobqueue.internal.schedule.Scheduler;
import java.util.List;

/** Wakes whoever a notification concerns. */
final class Notices implements Listener.Ear {

    private final Heartbeat heartbeat;
    private final Claimer claimer;
    private final Caretaker caretaker;
    private final Scheduler scheduler;
    private final Resolver resolver;

    Notices(Heartbeat heartbeat, Claimer claimer, Caretaker caretaker, Scheduler scheduler, Resolver resolver) {
        this.heartbeat = heartbeat;
        this.claimer = claimer;
        this.caretaker = caretaker;
        this.scheduler = scheduler;
        this.resolver = resolver;
    }

    @Override
    public void heard(String text) {
        Notice.parse(text).forEach(this::heard);
    }

    private void heard(Notice notice) {
        if (notice instanceof Notice.JobsPending pending) {
            claimer.wake(List.of(pending.queue()));
        } else if (notice instanceof Notice.JobsScheduled) {
            caretaker.wake();
        } else if (notice instanceof Notice.CancelRequested cancel) {
            heartbeat.askSoonAbout(cancel.job());
        } else if (notice instanceof Notice.SchedulesChanged) {
            scheduler.wake();
        } else if (notice instanceof Notice.FlowsChanged) {
            resolver.wake();
        }
    }

    @Override
    public void missedSome() {
        claimer.wakeAll();
        caretaker.wake();
        scheduler.wake();
        resolver.wake();
    }
}
