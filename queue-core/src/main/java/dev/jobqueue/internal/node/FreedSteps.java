package dev.jobqueue.internal.node;

import dev.jobqueue.internal.claim.ClaimCalls;
import dev.jobqueue.internal.flow.FreeSlots;
import dev.jobqueue.internal.flow.ResolveCalls;
import dev.jobqueue.internal.flow.ResolveCalls.Resolution;
import dev.jobqueue.internal.flow.ResolveCalls.Taken;
import dev.jobqueue.internal.flow.Resolver;
import dev.jobqueue.internal.publish.WakeUps;
import java.util.Set;

/** Starts steps that are free on this node if it has slots for them, else wakes this node and others. */
record FreedSteps(ResolveCalls calls, JobPipeline pipeline, WakeUps others) implements Resolver.Steps {

    @Override
    public Resolution resolve(int max) {
        FreeSlots free = pipeline.offerSlots();
        Taken<?> taken = free == null
                ? null
                : pipeline.take(free, () -> calls.resolve(max, others.inTransaction(), free, ClaimCalls::readClaimed));
        return taken == null ? calls.resolve(max, others.inTransaction()) : taken.resolution();
    }

    @Override
    public void wake(Set<String> queues) {
        pipeline.wake(queues);
        others.tellOthers(queues);
    }
}
