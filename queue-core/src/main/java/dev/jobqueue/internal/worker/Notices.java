package dev.jobqueue.internal.worker;

import dev.jobqueue.internal.upkeep.Caretaker;
import dev.jobqueue.internal.upkeep.Scheduler;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;

/** What a notification means to this node: the name of a queue that got jobs, unless it is one of a few other texts. */
final class Notices {

    private static final String CANCEL = "cancel:";
    private static final String SCHEDULE = "schedule";

    /** Not just the prefix: a queue may have any name. */
    private static final Pattern CANCELLATION = Pattern.compile(CANCEL + "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final Heartbeat heartbeat;
    private final Claimer claimer;
    private final Caretaker caretaker;
    private final Scheduler scheduler;

    Notices(Heartbeat heartbeat, Claimer claimer, Caretaker caretaker, Scheduler scheduler) {
        this.heartbeat = heartbeat;
        this.claimer = claimer;
        this.caretaker = caretaker;
        this.scheduler = scheduler;
    }

    void heard(String text) {
        if (text.isEmpty()) {
            caretaker.wake();
        } else if (CANCELLATION.matcher(text).matches()) {
            // anybody who may connect can send this: the database knows what is to be cancelled
            heartbeat.askSoonAbout(UUID.fromString(text.substring(CANCEL.length())));
        } else {
            if (text.equals(SCHEDULE)) {
                scheduler.wake();
            }
            // a queue may have that name too
            claimer.wake(List.of(text));
        }
    }

    /** Anything may have been told while nobody listened. */
    void missedSome() {
        claimer.wakeAll();
        caretaker.wake();
        scheduler.wake();
    }
}
