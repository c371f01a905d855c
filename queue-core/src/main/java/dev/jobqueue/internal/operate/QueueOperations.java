package dev.jobqueue.internal.operate;

import dev.jobqueue.JobNotFoundException;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.Json;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.extend.QueueEvents;
import dev.jobqueue.operate.DeadGroup;
import dev.jobqueue.operate.FlowFilter;
import dev.jobqueue.operate.FlowGraph;
import dev.jobqueue.operate.FlowPage;
import dev.jobqueue.operate.FlowState;
import dev.jobqueue.operate.FlowSummary;
import dev.jobqueue.operate.JobBatch;
import dev.jobqueue.operate.JobCount;
import dev.jobqueue.operate.JobCursor;
import dev.jobqueue.operate.JobDetails;
import dev.jobqueue.operate.JobFilter;
import dev.jobqueue.operate.JobOperations;
import dev.jobqueue.operate.JobPage;
import dev.jobqueue.operate.JobReason;
import dev.jobqueue.operate.NodeFigures;
import dev.jobqueue.operate.QueueFigures;
import dev.jobqueue.operate.Throughput;
import dev.jobqueue.operate.UnhandledType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The operations of applications: readers to look, and the calls of operators to act. */
public final class QueueOperations implements JobOperations {

    private final OperateCalls calls;
    private final Readers readers;
    private final JobReader jobs;
    private final FigureReader figures;
    private final FlowReader flows;
    private final Duration ttl;
    private final int countLimit;

    /**
     * The operations of one application.
     *
     * @param sql joins the caller's transaction
     * @param events told of waiting jobs that are cancelled
     * @param ttl how long a node may be silent and still live, if it did not say
     * @param countLimit where counting the jobs of a queue stops
     */
    public QueueOperations(Sql sql, Json json, QueueEvents events, Duration ttl, int countLimit) {
        this(
                new OperateCalls(sql, null, events),
                new Readers(new JobReader(sql, json), new FigureReader(sql), new FlowReader(sql)),
                ttl,
                countLimit);
    }

    private QueueOperations(OperateCalls calls, Readers readers, Duration ttl, int countLimit) {
        this.calls = calls;
        this.readers = readers;
        this.jobs = readers.jobs();
        this.figures = readers.figures();
        this.flows = readers.flows();
        this.ttl = ttl;
        this.countLimit = countLimit;
    }

    /** Returns these operations with reads that are given up after the timeout. */
    public QueueOperations lookingWithin(Duration timeout) {
        return new QueueOperations(calls, readers.within(timeout), ttl, countLimit);
    }

    @Override
    public Optional<JobDetails> find(UUID id) {
        return jobs.find(Objects.requireNonNull(id, "id"));
    }

    @Override
    public JobPage find(JobFilter filter, JobCursor after, int limit) {
        return jobs.find(Objects.requireNonNull(filter, "filter"), Objects.requireNonNull(after, "after"), limit);
    }

    @Override
    public JobCount count(JobFilter filter) {
        return jobs.count(Objects.requireNonNull(filter, "filter"));
    }

    @Override
    public JobBatch all(JobFilter filter) {
        return new FilteredJobs(calls, filter);
    }

    @Override
    public List<JobReason> why(UUID id) {
        List<JobReason> reasons = jobs.why(id, ttl);
        if (reasons.isEmpty()) {
            throw new JobNotFoundException(
                    "No job has the id '%s': it never existed, or is older than the history that is kept"
                            .formatted(id));
        }
        return reasons;
    }

    @Override
    public JobState cancel(UUID id) {
        return calls.cancel(id);
    }

    @Override
    public void retry(UUID id) {
        calls.retry(id);
    }

    @Override
    public void replay(UUID id) {
        calls.replay(id);
    }

    @Override
    public void purge(UUID id) {
        calls.purge(id);
    }

    @Override
    public JobState reprioritise(UUID id, int priority) {
        return calls.reprioritise(id, priority);
    }

    @Override
    public JobState reschedule(UUID id, Instant runAt) {
        return calls.reschedule(id, runAt);
    }

    @Override
    public List<QueueFigures> queues() {
        return figures.figures(countLimit, ttl);
    }

    @Override
    public void pause(String queue) {
        calls.pause(queue);
    }

    @Override
    public void resume(String queue) {
        calls.resume(queue);
    }

    @Override
    public List<NodeFigures> nodes() {
        return figures.nodes(ttl);
    }

    @Override
    public List<UnhandledType> unhandledTypes() {
        return figures.unhandled(ttl);
    }

    @Override
    public List<Throughput> throughput(@Nullable String queue, @Nullable String type, Duration span, Duration step) {
        Objects.requireNonNull(span, "span");
        return figures.throughput(queue, type, span, Objects.requireNonNull(step, "step"));
    }

    @Override
    public Map<String, List<Throughput>> throughputByQueue(Duration span) {
        return figures.throughputByQueue(Objects.requireNonNull(span, "span"));
    }

    @Override
    public List<DeadGroup> deadGroups(int limit) {
        return jobs.deadGroups(limit);
    }

    @Override
    public Optional<FlowSummary> findFlow(UUID id) {
        return flows.find(id);
    }

    @Override
    public FlowPage findFlows(FlowFilter filter, JobCursor after, int limit) {
        return flows.find(filter, after, limit);
    }

    @Override
    public Optional<FlowGraph> flowGraph(UUID id) {
        return flows.graph(id);
    }

    @Override
    public FlowState cancelFlow(UUID id, boolean compensate) {
        return flows.cancel(id, compensate);
    }

    @Override
    public boolean signalFlow(UUID id, String name, @Nullable String payload) {
        return flows.signal(id, name, payload);
    }

    /** What looks at the database. */
    private record Readers(JobReader jobs, FigureReader figures, FlowReader flows) {

        Readers within(Duration timeout) {
            return new Readers(jobs.within(timeout), figures.within(timeout), flows.within(timeout));
        }
    }
}
