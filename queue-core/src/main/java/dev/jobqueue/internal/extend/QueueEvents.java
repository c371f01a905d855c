package dev.jobqueue.internal.extend;

import dev.jobqueue.operate.FlowKind;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.spi.JobEvent;
import dev.jobqueue.spi.NodeMeter;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/**
 * Tells the meters and the listeners of this node what happens. Called on the threads that do the work. Meters are
 * called at once, because they must not miss an event; listeners get the event later, on a thread of their own.
 */
public final class QueueEvents {

    /** Nobody wants to know. */
    public static final QueueEvents NONE = of();

    private final List<NodeMeter> meters;
    private final JobListeners listeners;

    QueueEvents(List<NodeMeter> meters, JobListeners listeners) {
        this.meters = List.copyOf(meters);
        this.listeners = listeners;
    }

    /** Events for these meters, without listeners. */
    public static QueueEvents of(NodeMeter... meters) {
        return new QueueEvents(List.of(meters), new JobListeners(dropped -> {}, false));
    }

    /** Jobs of one type were published; if in a transaction, it has committed. */
    public void published(String queue, String type, int jobs) {
        count(meter -> meter.published(queue, type, jobs));
    }

    /**
     * Whether there are listeners. If not, nobody needs to call {@link #published(List, int)}, {@link #started} and
     * {@link #cancelled}.
     */
    public boolean followsJobs() {
        return listeners.isListening();
    }

    /**
     * The jobs of one commit, for the listeners.
     *
     * @param leftOut how many more there were
     */
    public void published(List<JobEvent.Published> jobs, int leftOut) {
        jobs.forEach(listeners::add);
        listeners.leftOut(leftOut);
    }

    /** A run began. */
    public void started(JobEvent.Started run) {
        listeners.add(run);
    }

    /** A run ended, and the database knows how. */
    public void ended(JobEvent.Ended run) {
        count(meter -> meter.ended(run));
        listeners.add(run);
    }

    /** A claim came back with so many jobs. */
    public void claimed(Duration took, int jobs) {
        count(meter -> meter.claimed(took, jobs));
    }

    /** A batch of runs was settled. */
    public void settled(Duration took, int jobs) {
        count(meter -> meter.settled(took, jobs));
    }

    /** Jobs of dead nodes, or jobs that outlived their timeout, were taken back. */
    public void rescued(List<JobEvent.Rescued> jobs) {
        count(meter -> meter.rescued(jobs.size()));
        jobs.forEach(listeners::add);
    }

    /** Jobs that waited were cancelled, for the listeners. */
    public void cancelled(List<JobEvent.Cancelled> jobs) {
        jobs.forEach(listeners::add);
    }

    /** A schedule published a job, so much later than it was due. */
    public void scheduleFired(String name, Duration lag) {
        count(meter -> meter.scheduleFired(name, lag));
    }

    /** A schedule left out a run, because its last job had not ended. */
    public void scheduleSkipped(String name) {
        count(meter -> meter.scheduleSkipped(name));
    }

    /** Due times of a schedule passed without a job, because no node was up. */
    public void scheduleMissed(String name, int due) {
        count(meter -> meter.scheduleMissed(name, due));
    }

    /** A batch or flow finished, so long after it was published. */
    public void flowFinished(FlowKind kind, String name, FlowState state, Duration took) {
        count(meter -> meter.flowFinished(kind, name, state, took));
    }

    private void count(Consumer<NodeMeter> call) {
        for (NodeMeter meter : meters) {
            call.accept(meter);
        }
    }
}
