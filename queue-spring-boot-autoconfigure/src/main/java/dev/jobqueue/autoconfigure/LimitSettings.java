package dev.jobqueue.autoconfigure;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.HandlerLimit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.LimitDefinition.Kind;
import dev.jobqueue.internal.handle.HandlerRegistry;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits that handlers and properties define, and which types and queues have them. Refuses what contradicts
 * itself.
 */
final class LimitSettings {

    private static final Logger log = LoggerFactory.getLogger(LimitSettings.class);

    /** How many limits jobs of a type or queue may have, as use_limits has it. */
    static final int MOST = 10;

    /** By name, so that nodes that start at the same moment store them in the same order. */
    private final SortedMap<String, LimitDefinition> limits = new TreeMap<>();

    private final SortedMap<String, SortedMap<String, @Nullable String>> types = new TreeMap<>();
    private final SortedMap<String, SortedMap<String, @Nullable String>> queues = new TreeMap<>();

    /**
     * @param slots of this node, by queue
     */
    LimitSettings(QueueProperties properties, HandlerRegistry handlers, Map<String, Integer> slots) {
        SortedMap<String, HandlerLimit> declared = declared(handlers);
        declared.forEach((name, limit) -> limits.put(name, limit.limit()));
        for (String type : new TreeSet<>(handlers.types())) {
            HandlerDefinition handler = handlers.find(type);
            if (handler != null) {
                handler.limits().forEach(each -> use(types, type, each.limit().name(), each.key()));
            }
        }
        properties.limits().forEach((name, values) -> override(name, values, declared));
        types.forEach((type, keys) -> check("type '" + type + "'", keys.keySet()));
        queues.forEach((queue, keys) -> check("queue '" + queue + "'", keys.keySet()));
        handlers.all().forEach(handler -> {
            Set<String> names = withItsQueue(handler);
            check("type '%s' in its queue '%s'".formatted(handler.type(), handler.queue()), names);
            checkSeries(handler, names, slots.getOrDefault(handler.queue(), 1));
        });
    }

    /** What is set, by name. */
    SortedMap<String, LimitDefinition> limits() {
        return limits;
    }

    /** What the limits of each type count by, by the name of the limit. */
    SortedMap<String, SortedMap<String, @Nullable String>> types() {
        return types;
    }

    /** What the limits of each queue count by, by the name of the limit. */
    SortedMap<String, SortedMap<String, @Nullable String>> queues() {
        return queues;
    }

    private static SortedMap<String, HandlerLimit> declared(HandlerRegistry handlers) {
        SortedMap<String, HandlerLimit> declared = new TreeMap<>();
        SortedMap<String, String> places = new TreeMap<>();
        List<HandlerDefinition> sorted = handlers.all().stream()
                .sorted(Comparator.comparing(HandlerDefinition::type))
                .toList();
        for (HandlerDefinition handler : sorted) {
            for (HandlerLimit each : handler.limits()) {
                String name = each.limit().name();
                HandlerLimit other = declared.putIfAbsent(name, each);
                if (other != null && !other.limit().equals(each.limit())) {
                    throw new InvalidQueueConfigurationException(
                            "The handlers of '%s' and '%s' give the limit '%s' different values: %s, and %s."
                                    .formatted(
                                            places.get(name),
                                            handler.type(),
                                            name,
                                            LimitOverride.text(other.limit()),
                                            LimitOverride.text(each.limit())),
                            "Give it the same values in both places, or give one of the limits another name.");
                }
                places.putIfAbsent(name, handler.type());
            }
        }
        return declared;
    }

    private void override(String name, QueueProperties.Limit values, SortedMap<String, HandlerLimit> declared) {
        HandlerLimit limit = new LimitOverride(name, values, declared.get(name)).limit();
        limits.put(name, limit.limit());
        if (values.key() != null) {
            types.values().forEach(keys -> keys.replaceAll((each, key) -> each.equals(name) ? limit.key() : key));
        }
        values.types().forEach(type -> use(types, type, name, limit.key()));
        values.queues().forEach(queue -> use(queues, queue, name, limit.key()));
        if (!declared.containsKey(name)
                && values.types().isEmpty()
                && values.queues().isEmpty()) {
            warnIfMisspelt(name, declared.keySet());
        }
    }

    /** It may also be one that only publishers name. */
    private static void warnIfMisspelt(String name, Set<String> known) {
        Spelling.closest(name, known)
                .filter(each -> Spelling.isClose(name, each))
                .ifPresent(meant -> log.warn(
                        "'{}' defines a limit that no handler, type or queue has. Did you mean '{}'?",
                        LimitOverride.prefix(name),
                        LimitOverride.prefix(meant)));
    }

    private static void use(
            SortedMap<String, SortedMap<String, @Nullable String>> uses,
            String user,
            String limit,
            @Nullable String key) {
        uses.computeIfAbsent(user, none -> new TreeMap<>()).put(limit, key);
    }

    private void check(String who, Collection<String> names) {
        if (names.size() > MOST) {
            throw new InvalidQueueConfigurationException(
                    "The %s has %d limits: %s.".formatted(who, names.size(), names),
                    "Leave it no more than %d.".formatted(MOST));
        }
        List<String> fifos = fifos(names);
        if (fifos.size() > 1) {
            throw new InvalidQueueConfigurationException(
                    "The %s has two FIFO limits, '%s' and '%s', but jobs can be in one order only."
                            .formatted(who, fifos.get(0), fifos.get(1)),
                    "Remove one of them: the @Fifo of the handler, or 'types' and 'queues' below queue.limits.");
        }
    }

    /** The limits of a job are those of its type and of its queue. */
    private Set<String> withItsQueue(HandlerDefinition handler) {
        Set<String> names = new TreeSet<>();
        names.addAll(types.getOrDefault(handler.type(), new TreeMap<>()).keySet());
        names.addAll(queues.getOrDefault(handler.queue(), new TreeMap<>()).keySet());
        return names;
    }

    /** Slots handle the jobs that a claim brings side by side, which is no order. */
    private void checkSeries(HandlerDefinition handler, Set<String> names, int slots) {
        for (LimitDefinition limit : limits.values()) {
            Integer running = limit.running();
            if (names.contains(limit.name()) && limit.kind() == Kind.FIFO && running != null && running > 1) {
                checkSeries(
                        handler,
                        "The FIFO limit '%s' lets %d jobs of a key start together".formatted(limit.name(), running),
                        slots);
            }
        }
    }

    private static void checkSeries(HandlerDefinition handler, String together, int slots) {
        if (handler.bundleFunction() == null) {
            throw new InvalidQueueConfigurationException(
                    "%s, but the handler of '%s' handles each job on its own.".formatted(together, handler.type()),
                    "Leave 'running' out of the limit: then one job of a key runs at a time.");
        }
        if (slots != 1) {
            String property = "queue.queues[" + handler.queue() + "].slots";
            throw new InvalidQueueConfigurationException(
                    "%s, but the handler of '%s' would get them side by side: its queue has %d slots."
                            .formatted(together, handler.type(), slots),
                    "Set " + property + " to 1, or leave 'running' out of the limit.");
        }
    }

    private List<String> fifos(Collection<String> names) {
        return limits.values().stream()
                .filter(limit -> limit.kind() == Kind.FIFO && names.contains(limit.name()))
                .map(LimitDefinition::name)
                .toList();
    }
}
