package dev.jobqueue.internal.node;

import dev.jobqueue.internal.flow.Resolver;
import dev.jobqueue.internal.publish.WakeUps;
import java.util.Set;

/** Wakes this node and others for the jobs of steps that are free. */
record FreedSteps(JobPipeline pipeline, WakeUps others) implements Resolver.Waker {

    @Override
    public boolean inTransaction() {
        return others.inTransaction();
    }

    @Override
    public void wake(Set<String> queues) {
        pipeline.wake(queues);
        others.tellOthers(queues);
    }
}
