package dev.jobqueue.autoconfigure;

import dev.jobqueue.JobQueueException;
import dev.jobqueue.PermanentJobException;
import dev.jobqueue.internal.schedule.QueueSchedules;
import dev.jobqueue.schedule.Schedule.Origin;
import dev.jobqueue.schedule.ScheduleDefinition;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/**
 * Stores at start the schedules that code and properties define, and retires those that this application does not
 * define any more. A schedule that an operator paused stays paused.
 */
final class ScheduleSynchronizer {

    private static final Logger log = LoggerFactory.getLogger(ScheduleSynchronizer.class);

    private final QueueProperties properties;
    private final ScheduleScanner scanner;
    private final QueueSchedules schedules;
    private final @Nullable String owner;

    /**
     * @param owner the name of the application, {@code null} if it has none
     */
    ScheduleSynchronizer(
            QueueProperties properties, ScheduleScanner scanner, QueueSchedules schedules, @Nullable String owner) {
        this.properties = properties;
        this.scanner = scanner;
        this.schedules = schedules;
        this.owner = owner;
    }

    void synchronize() {
        try {
            store();
        } catch (DataAccessException ex) {
            if (SettingsSynchronizer.isLocked(ex)) {
                throw new InvalidQueueConfigurationException(
                        "A schedule that this application changes or does not define any more is locked, by a"
                                + " transaction that has been open for more than five seconds.",
                        "End the transaction that holds the lock, and start again. Test classes that run in parallel on"
                                + " one database must define the same schedules.");
            }
            throw ex;
        }
    }

    private void store() {
        SortedMap<String, DeclaredSchedule> all = declared();
        SortedMap<String, DeclaredSchedule> declared = new TreeMap<>(all);
        declared.values().removeIf(DeclaredSchedule::isNever);
        declared.values().forEach(this::set);
        if (owner != null) {
            schedules.retire(owner, declared.keySet()).forEach(name -> {
                if (all.containsKey(name)) {
                    log.info("Schedule '{}' is turned off by cron '-'", name);
                } else {
                    log.warn(
                            "Schedule '{}' is not defined in '{}' any more: retired. Delete it, or define it again.",
                            name,
                            owner);
                }
            });
        } else if (!declared.isEmpty()) {
            log.info("Schedules that vanish from the code are not retired: spring.application.name is not set");
        }
    }

    /** The types of the jobs that code and properties schedule. */
    Set<String> types() {
        return declared().values().stream()
                .map(each -> each.definition().type())
                .collect(Collectors.toSet());
    }

    /** Sorted by name, so that nodes that start at the same moment store them in the same order. */
    private SortedMap<String, DeclaredSchedule> declared() {
        SortedMap<String, DeclaredSchedule> declared = new TreeMap<>();
        for (DeclaredSchedule schedule : scanner.found()) {
            DeclaredSchedule other = declared.put(schedule.definition().name(), schedule);
            if (other != null) {
                throw new InvalidScheduleException(
                        schedule.where(),
                        "%s has the name '%s' already"
                                .formatted(other.where(), schedule.definition().name()),
                        null);
            }
        }
        properties
                .schedules()
                .forEach((name, values) -> declared.put(name, override(name, values, declared.get(name))));
        return declared;
    }

    private static DeclaredSchedule override(
            String name, QueueProperties.Schedule values, @Nullable DeclaredSchedule code) {
        String where = "the property 'queue.schedules.%s'".formatted(name);
        if (values.cron() != null && values.every() != null) {
            throw new InvalidScheduleException(where, "it needs either cron or every, and not both", null);
        }
        ScheduleDefinition base = code == null ? ScheduleDefinition.of(name, name) : code.definition();
        return new DeclaredSchedule(where, Origin.CONFIG, values.over(base));
    }

    /** Warns that a schedule of another application is replaced: its nodes do not fire it any more. */
    private void warnIfReplaced(String name) {
        schedules
                .find(name)
                .filter(held ->
                        !held.retired() && held.owner() != null && !held.owner().equals(owner))
                .ifPresent(held -> log.warn(
                        "Schedule '{}' was set by the application '{}' and is now set and fired by '{}':"
                                + " give one of the two schedules another name",
                        name,
                        held.owner(),
                        owner == null ? "one without spring.application.name" : owner));
    }

    private void set(DeclaredSchedule declared) {
        ScheduleDefinition definition = declared.definition();
        try {
            if (!schedules.isHandled(definition)) {
                log.warn(
                        "Schedule '{}' publishes jobs of type '{}', which this node has no handler for",
                        definition.name(),
                        definition.type());
            }
            warnIfReplaced(definition.name());
            if (schedules.set(definition, declared.origin(), owner)) {
                log.info("Schedule '{}' was set", definition.name());
            }
        } catch (JobQueueException | PermanentJobException ex) {
            throw new InvalidScheduleException(declared.where(), String.valueOf(ex.getMessage()), ex);
        }
    }
}
