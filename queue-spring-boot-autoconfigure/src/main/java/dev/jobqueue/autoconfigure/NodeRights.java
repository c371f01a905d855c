package dev.jobqueue.autoconfigure;

import dev.jobqueue.internal.handle.HandlerRegistry;
import dev.jobqueue.internal.migrate.FunctionRights;
import dev.jobqueue.internal.migrate.FunctionRights.Missing;
import dev.jobqueue.internal.migrate.FunctionRights.Need;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Checks at start whether the role of this node may call the functions that its code and properties need. */
final class NodeRights {

    private static final Logger log = LoggerFactory.getLogger(NodeRights.class);

    private final FunctionRights rights;

    NodeRights(FunctionRights rights) {
        this.rights = rights;
    }

    /** Only warns: a node without a worker may be there to look and to act, without publishing. */
    void tellIfItCannotPublish() {
        Missing missing = rights.missing(FunctionRights.OF_PUBLISHERS);
        if (!missing.functions().isEmpty()) {
            log.warn(
                    "The role '{}' may not publish jobs. If this application does: GRANT queue_publisher TO {}",
                    missing.role(),
                    missing.role());
        }
    }

    void checkWorker(QueueProperties properties, HandlerRegistry handlers, boolean schedules, boolean limits) {
        List<Need> needs = new ArrayList<>();
        needs.add(new Need(
                FunctionRights.OF_WORKERS,
                "a node that handles jobs needs",
                "set queue.worker.enabled=false if this node should only publish"));
        addSettings(needs, "configure", SettingsSynchronizer.stored(properties));
        properties
                .queues()
                .forEach((name, queue) ->
                        addSettings(needs, "configure_queue", SettingsSynchronizer.stored(name, queue)));
        if (SettingsSynchronizer.hasPolicies(properties, handlers)) {
            needs.add(new Need(
                    Set.of("set_retry_policy"),
                    "retry policies and timeouts of handlers and queue.retry need",
                    "remove them"));
        }
        if (schedules) {
            needs.add(new Need(
                    Set.of("set_schedule", "find_schedules"),
                    "@JobSchedule, ScheduleDefinition and queue.schedules need",
                    "remove the schedules"));
        }
        if (limits) {
            needs.add(new Need(
                    Set.of("set_limit", "use_limits", "find_limits"),
                    "@Limit, @Fifo, @FairShare and queue.limits need",
                    "remove the limits"));
        }
        rights.require(needs);
    }

    private static void addSettings(List<Need> needs, String function, List<String> properties) {
        if (!properties.isEmpty()) {
            boolean one = properties.size() == 1;
            needs.add(new Need(
                    Set.of(function),
                    String.join(" and ", properties) + (one ? " needs" : " need"),
                    one ? "remove the property" : "remove the properties"));
        }
    }
}
