package dev.jobqueue.internal.operate;

import dev.jobqueue.JobDetails;
import dev.jobqueue.JobDetails.JobError;
import dev.jobqueue.JobOperations;
import dev.jobqueue.JobState;
import dev.jobqueue.internal.Json;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The operations of the store, with JSON read. */
public final class QueueOperations implements JobOperations {

    private final OperateCalls operations;
    private final Json json;

    public QueueOperations(OperateCalls operations, Json json) {
        this.operations = operations;
        this.json = json;
    }

    @Override
    public Optional<JobDetails> find(UUID id) {
        return operations.find(id).map(this::details);
    }

    @Override
    public JobState cancel(UUID id) {
        return operations.cancel(id);
    }

    @Override
    public void replay(UUID id) {
        operations.replay(id);
    }

    @Override
    public void pause(String queue) {
        operations.pause(queue);
    }

    @Override
    public void resume(String queue) {
        operations.resume(queue);
    }

    private JobDetails details(FoundJob job) {
        return new JobDetails(
                job.id(),
                job.queue(),
                job.type(),
                job.state(),
                job.priority(),
                job.attempt(),
                job.maxAttempts(),
                job.percent(),
                job.stage(),
                job.payload(),
                json.readHeaders(job.headers()),
                job.result(),
                List.of(json.read(job.errors(), JobError[].class)),
                job.createdAt(),
                job.runAt(),
                job.claimedAt(),
                job.finishedAt(),
                job.cancelRequested());
    }
}
