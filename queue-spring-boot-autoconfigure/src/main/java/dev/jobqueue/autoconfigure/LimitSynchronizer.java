package dev.jobqueue.autoconfigure;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.MissingRightException;
import dev.jobqueue.internal.limit.LimitCalls;
import dev.jobqueue.operate.LimitFigures;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.DataAccessException;

/**
 * Stores the limits that code and properties define, and ends those that this application gave a type before and does
 * not any more. What an operator has set stays.
 */
final class LimitSynchronizer {

    private static final Logger log = LoggerFactory.getLogger(LimitSynchronizer.class);

    private final LimitSettings settings;
    private final Set<String> handled;
    private final LimitCalls calls;
    private final String owner;

    /**
     * @param handled the types that this node handles
     */
    LimitSynchronizer(LimitSettings settings, Set<String> handled, LimitCalls calls, String owner) {
        this.settings = settings;
        this.handled = handled;
        this.calls = calls;
        this.owner = owner;
    }

    void synchronize() {
        settings.limits().forEach((name, limit) -> store("The limit '" + name + "'", () -> calls.set(limit)));
        settings.types()
                .forEach((type, keys) -> store("What limits type '" + type + "'", () -> calls.useForType(type, keys)));
        settings.queues()
                .forEach((queue, keys) ->
                        store("What limits queue '" + queue + "'", () -> calls.useForQueue(queue, keys)));
        List<LimitFigures> stored = stored();
        stored.forEach(this::tellIfAnOperatorSetIt);
        endUses(stored);
    }

    private void store(String what, Supplier<Optional<String>> call) {
        try {
            SettingsSynchronizer.warn(what, call.get());
        } catch (InvalidJobException ex) {
            throw new InvalidQueueConfigurationException(
                    "%s cannot be stored. %s".formatted(what, ex.getMessage()),
                    "Correct it in the annotation of the handler, or below queue.limits.");
        } catch (DataAccessException ex) {
            if (SettingsSynchronizer.isLocked(ex)) {
                throw new InvalidQueueConfigurationException(
                        "%s cannot be stored. The database said: %s"
                                .formatted(
                                        what,
                                        NestedExceptionUtils.getMostSpecificCause(ex)
                                                .getMessage()),
                        "End the transaction that holds the lock, and start again.");
            }
            throw ex;
        }
    }

    /** An application that has no limits, and had none, need not have the right to look. */
    private List<LimitFigures> stored() {
        try {
            return calls.find();
        } catch (MissingRightException ex) {
            if (settings.limits().isEmpty()) {
                return List.of();
            }
            throw ex;
        }
    }

    private void tellIfAnOperatorSetIt(LimitFigures stored) {
        String name = stored.definition().name();
        LimitDefinition own = settings.limits().get(name);
        // one with the values of this application has become its own
        if (own != null && stored.owner() == null) {
            log.info(
                    "The limit '{}' is what an operator set ({}), not what this application defines ({}). To go back,"
                            + " set it to the application's values with JobOperations, the endpoint or set_limit.",
                    name,
                    LimitOverride.text(stored.definition()),
                    LimitOverride.text(own));
        }
        for (LimitFigures.Use use : stored.uses()) {
            if (use.owner() == null && isDefined(use)) {
                log.info(
                        "What limits {} is what an operator set, among it '{}', not what this application defines."
                                + " To go back, call use_limits with the application's limits and keys.",
                        who(use),
                        name);
            }
        }
    }

    private boolean isDefined(LimitFigures.Use use) {
        return use.type() != null
                ? settings.types().containsKey(use.type())
                : settings.queues().containsKey(String.valueOf(use.queue()));
    }

    /**
     * Types that other nodes of this application handle are left to these. Queues have limits by properties only, which
     * all nodes share; but those of another application without a name cannot be told apart.
     */
    private void endUses(List<LimitFigures> stored) {
        Set<String> types = new TreeSet<>();
        Set<String> queues = new TreeSet<>();
        for (LimitFigures limit : stored) {
            for (LimitFigures.Use use : limit.uses()) {
                if (!owner.equals(use.owner()) || isDefined(use)) {
                    continue;
                }
                if (use.type() == null) {
                    queues.add(String.valueOf(use.queue()));
                } else if (handled.contains(use.type())) {
                    types.add(use.type());
                }
            }
        }
        types.forEach(type -> {
            store("What limits type '" + type + "'", () -> calls.useForType(type, Map.of()));
            tellThatItEnded("Type '" + type + "'");
        });
        if (!owner.equals(SettingsSynchronizer.NAMELESS)) {
            queues.forEach(queue -> {
                store("What limits queue '" + queue + "'", () -> calls.useForQueue(queue, Map.of()));
                tellThatItEnded("Queue '" + queue + "'");
            });
        }
    }

    private static void tellThatItEnded(String who) {
        log.info(
                "{} has no limits in this application any more: jobs that are published from now on are without them."
                        + " Those that wait already are let go when the limit is removed.",
                who);
    }

    private static String who(LimitFigures.Use use) {
        return use.type() != null ? "type '" + use.type() + "'" : "queue '" + use.queue() + "'";
    }
}
