package dev.jobqueue.internal.maintain;

import dev.jobqueue.JobState;
import dev.jobqueue.internal.Counts;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescue;
import dev.jobqueue.internal.maintain.MaintainCalls.Rescued;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** Takes jobs back from nodes that stopped beating, and jobs that outlived their timeout. */
final class Rescuer extends Chore {

    private static final Logger log = LoggerFactory.getLogger(Rescuer.class);

    private static final int BATCH = 1_000;

    /** How many rescued jobs are logged one by one. */
    private static final int LOGGED = 20;

    /** How long after its timeout a job is left to its own worker, which knows better what happened. */
    private static final Duration TIMEOUT_GRACE = Duration.ofSeconds(5);

    /** The pause before a rescue is made longer by a random part of this fraction of the longest pause. */
    private static final int SHORTEST_PART = 20;

    /** Nobody tells of a node that registers meanwhile, and its time to live may be shorter than this node's own. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);

    private final MaintainCalls calls;
    private final Duration ttl;
    private final Runnable onPending;
    private final QueueEvents events;

    /**
     * @param ttl the longest pause between two rescues, and how long a worker may be silent that does not say so itself
     * @param onPending called when jobs became pending
     */
    Rescuer(MaintainCalls calls, Duration ttl, Runnable onPending, QueueEvents events) {
        this.calls = calls;
        this.ttl = ttl;
        this.onPending = onPending;
        this.events = events;
    }

    @Override
    Duration work() {
        Rescue rescue = calls.rescue(ttl, TIMEOUT_GRACE, BATCH);
        List<Rescued> jobs = rescue.jobs();
        report(jobs);
        if (!jobs.isEmpty()) {
            events.rescued(jobs.stream().map(Rescued::event).toList());
        }
        if (jobs.stream().anyMatch(each -> each.state() == JobState.PENDING || each.state() == JobState.WAITING)) {
            onPending.run();
        }
        return jobs.size() < BATCH ? untilSomebodyIsLate(rescue.next()) : Duration.ZERO;
    }

    /** A job that dies is an error wherever that happens. */
    private static void report(List<Rescued> jobs) {
        for (Rescued each : jobs.subList(0, Math.min(LOGGED, jobs.size()))) {
            log.atLevel(each.state() == JobState.DEAD ? Level.ERROR : Level.WARN)
                    .log(
                            "Job {} ('{}') was rescued and is {}: {}",
                            each.id(),
                            each.type(),
                            each.state(),
                            each.reason());
        }
        if (jobs.size() > LOGGED) {
            log.warn("Rescued as well: {}", Counts.of(jobs.size() - LOGGED, "job"));
        }
    }

    /**
     * A little later, and on each node at another time, so that one node finds the late jobs and the others nothing.
     */
    private Duration untilSomebodyIsLate(Optional<Duration> next) {
        Duration most = ttl.compareTo(LONGEST_WAIT) < 0 ? ttl : LONGEST_WAIT;
        Duration until = next.filter(each -> each.compareTo(most) < 0).orElse(most);
        return until.plus(jittered(most.dividedBy(SHORTEST_PART)));
    }
}
