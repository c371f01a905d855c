package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.node.NodeSettings;
import dev.jobqueue.internal.operate.OperateCalls;
import java.time.Duration;
import java.util.Objects;
import org.springframework.core.env.Environment;

/** Checks what the node needs, and stores what its properties and annotations say, before it starts. */
final class NodePreparation {

    private static final String PHASE_TIMEOUT = "spring.lifecycle.timeout-per-shutdown-phase";

    private final QueueProperties properties;
    private final QueueDatabase database;
    private final HandlerRegistry handlers;
    private final HandlerTransactions transactions;
    private final ScheduleSynchronizer schedules;
    private final Environment environment;

    NodePreparation(
            QueueProperties properties,
            QueueDatabase database,
            HandlerRegistry handlers,
            HandlerTransactions transactions,
            ScheduleSynchronizer schedules,
            Environment environment) {
        this.properties = properties;
        this.database = database;
        this.handlers = handlers;
        this.transactions = transactions;
        this.schedules = schedules;
        this.environment = environment;
    }

    NodeSettings prepare() {
        transactions.check(handlers);
        NodeSettings settings = settings();
        new NodeRights(database)
                .checkWorker(properties, handlers, !schedules.types().isEmpty());
        String owner = Objects.requireNonNullElse(settings.application(), SettingsSynchronizer.NAMELESS);
        new SettingsSynchronizer(properties, handlers, new OperateCalls(database.joining(), owner)).synchronize();
        schedules.synchronize();
        UnknownTypes.warn(properties.retry().keySet(), handlers.types(), schedules.types());
        return settings;
    }

    private NodeSettings settings() {
        Duration phaseTimeout = environment.getProperty(PHASE_TIMEOUT, Duration.class, Duration.ofSeconds(30));
        return new WorkerSettingsFactory(properties)
                .create(database.schema(), handlers, phaseTimeout, ApplicationIdentity.of(environment));
    }
}
