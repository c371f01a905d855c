package dev.jobqueue.internal.node;

import dev.jobqueue.internal.handle.Application;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What the heartbeat watches. */
record Vitals(NodeSettings settings, Application application, JobPipeline pipeline) implements Heartbeat.Watch {

    @Override
    public NodeCalls.Registration describe(UUID workerId) {
        return settings.registration(workerId, application.handlers().types());
    }

    @Override
    public boolean isClaiming() {
        return pipeline.claimer().isAway();
    }

    @Override
    public void gaveBack() {
        pipeline.claimer().wakeAll();
    }

    @Override
    public @Nullable String trouble() {
        return pipeline.trouble();
    }
}
