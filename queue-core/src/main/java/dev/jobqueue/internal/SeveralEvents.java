package dev.jobqueue.internal;

import dev.jobqueue.spi.JobEvent;
import java.time.Duration;
import java.util.List;

/** Tells two of what happens on this node, one after the other. */
public record SeveralEvents(QueueEvents first, QueueEvents second) implements QueueEvents {

    @Override
    public void published(String queue, String type, int jobs) {
        first.published(queue, type, jobs);
        second.published(queue, type, jobs);
    }

    @Override
    public boolean followsJobs() {
        return first.followsJobs() || second.followsJobs();
    }

    @Override
    public void published(List<JobEvent.Published> jobs, int leftOut) {
        first.published(jobs, leftOut);
        second.published(jobs, leftOut);
    }

    @Override
    public void started(JobEvent.Started run) {
        first.started(run);
        second.started(run);
    }

    @Override
    public void ended(JobEvent.Ended run) {
        first.ended(run);
        second.ended(run);
    }

    @Override
    public void dropped(int events) {
        first.dropped(events);
        second.dropped(events);
    }

    @Override
    public void claimed(Duration took, int jobs) {
        first.claimed(took, jobs);
        second.claimed(took, jobs);
    }

    @Override
    public void settled(Duration took, int jobs) {
        first.settled(took, jobs);
        second.settled(took, jobs);
    }

    @Override
    public void rescued(List<JobEvent.Rescued> jobs) {
        first.rescued(jobs);
        second.rescued(jobs);
    }

    @Override
    public void scheduleFired(String name, Duration lag) {
        first.scheduleFired(name, lag);
        second.scheduleFired(name, lag);
    }

    @Override
    public void scheduleSkipped(String name) {
        first.scheduleSkipped(name);
        second.scheduleSkipped(name);
    }

    @Override
    public void scheduleMissed(String name, int count) {
        first.scheduleMissed(name, count);
        second.scheduleMissed(name, count);
    }
}
