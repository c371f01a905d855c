package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.application.JobQueue;
import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.node.NodeSettings;
import java.time.Duration;
import java.util.Objects;
import org.springframework.core.env.Environment;

/** Checks what the node needs, and stores what its properties and annotations say, before it starts. */
final class NodePreparation {

    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

    private final QueueProperties properties;
    private final Environment environment;
    private final JobQueue queue;
    private final HandlerTransactions transactions;
    private final ScheduleSynchronizer schedules;

    NodePreparation(
            QueueProperties properties,
            Environment environment,
            JobQueue queue,
            HandlerTransactions transactions,
            ScheduleSynchronizer schedules) {
        this.properties = properties;
        this.environment = environment;
        this.queue = queue;
        this.transactions = transactions;
        this.schedules = schedules;
    }

    NodeSettings prepare() {
        HandlerRegistry handlers = queue.handlers();
        transactions.check(handlers);
        NodeSettings settings = settings(handlers);
        LimitSettings limits = new LimitSettings(properties, handlers, settings.slots());
        new NodeRights(queue.rights())
                .checkWorker(
                        properties,
                        handlers,
                        !schedules.types().isEmpty(),
                        !limits.limits().isEmpty());
        String owner = Objects.requireNonNullElse(settings.application(), SettingsSynchronizer.NAMELESS);
        new SettingsSynchronizer(properties, handlers, queue.settings(owner)).synchronize();
        new LimitSynchronizer(limits, handlers.types(), queue.limits(owner), owner).synchronize();
        schedules.synchronize();
        UnknownTypes.warn(properties.retry().keySet(), handlers.types(), schedules.types());
        return settings;
    }

    private NodeSettings settings(HandlerRegistry handlers) {
        Duration phaseTimeout = environment.getProperty(PHASE_TIMEOUT, Duration.class, Duration.ofSeconds(30));
        return new WorkerSettingsFactory(properties)
                .create(handlers, phaseTimeout, ApplicationIdentity.of(environment));
    }
}
