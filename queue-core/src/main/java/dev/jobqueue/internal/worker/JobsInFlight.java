package dev.jobqueue.internal.worker;

import dev.jobqueue.internal.store.Claim;
import dev.jobqueue.internal.store.Workers.Held;
import dev.jobqueue.internal.worker.RunningJob.Stop;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** The jobs this node has claimed and not yet settled. */
final class JobsInFlight {

    private static final int MOST_NAMED = 10;

    private final Map<UUID, RunningJob> jobs = new ConcurrentHashMap<>();

    void add(RunningJob job) {
        jobs.put(job.id(), job);
    }

    /** Only this run: the same job may have been claimed again meanwhile. */
    void remove(RunningJob job) {
        jobs.remove(job.id(), job);
    }

    Collection<RunningJob> all() {
        return jobs.values();
    }

    /** As a beat tells of them. */
    List<Held.Job> held() {
        return jobs.values().stream()
                .map(job -> new Held.Job(job.claim(), job.hasBegun()))
                .toList();
    }

    /** Type and id of the jobs whose handlers run, for the log. */
    String describeRunning() {
        List<String> running = jobs.values().stream()
                .filter(job -> job.thread() != null)
                .map(job -> job.type() + " " + job.id())
                .sorted()
                .toList();
        String named = running.stream().limit(MOST_NAMED).collect(Collectors.joining(", "));
        return running.size() <= MOST_NAMED ? named : "%s and %d more".formatted(named, running.size() - MOST_NAMED);
    }

    boolean isEmpty() {
        return jobs.isEmpty();
    }

    int size() {
        return jobs.size();
    }

    void stop(Claim claim, Stop reason) {
        RunningJob job = jobs.get(claim.id());
        if (job != null && job.claim().equals(claim)) {
            job.stop(reason);
        }
    }

    boolean contains(UUID id) {
        return jobs.containsKey(id);
    }

    void stopAll(Stop reason) {
        jobs.values().forEach(job -> job.stop(reason));
    }
}
