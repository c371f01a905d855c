package dev.jobqueue.internal.handle;

import dev.jobqueue.internal.handle.RunningJob.Stop;
import dev.jobqueue.internal.settle.JobLease;
import dev.jobqueue.internal.settle.Run;
import dev.jobqueue.internal.settle.Runs;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The jobs this node has claimed and not yet settled. */
public final class JobsInFlight implements Runs {

    private static final int MOST_NAMED = 10;

    private final Map<UUID, RunningJob> jobs = new ConcurrentHashMap<>();

    public void add(RunningJob job) {
        jobs.put(job.id(), job);
    }

    /** Only this run: the same job may have been claimed again meanwhile. */
    @Override
    public void remove(Run run) {
        jobs.remove(run.id(), run);
    }

    public Collection<RunningJob> all() {
        return jobs.values();
    }

    public List<Run> runs() {
        return List.copyOf(jobs.values());
    }

    /** Type and id of the jobs whose handlers run, for the log. */
    public String describeRunning() {
        List<String> running = jobs.values().stream()
                .filter(job -> job.hasBegun() && !job.isEnded())
                .map(job -> job.type() + " " + job.id())
                .sorted()
                .toList();
        String named = running.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        return running.size() <= MOST_NAMED ? named : "%s and %d more".formatted(named, running.size() - MOST_NAMED);
    }

    public boolean isEmpty() {
        return jobs.isEmpty();
    }

    @Override
    public int size() {
        return jobs.size();
    }

    public void stop(JobLease lease, Stop reason) {
        RunningJob job = jobs.get(lease.id());
        if (job != null && job.lease().equals(lease)) {
            job.stop(reason);
        }
    }

    public boolean contains(UUID id) {
        return jobs.containsKey(id);
    }

    public void stopAll(Stop reason) {
        jobs.values().forEach(job -> job.stop(reason));
    }
}
