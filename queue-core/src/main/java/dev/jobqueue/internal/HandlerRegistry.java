package dev.jobqueue.internal;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobType;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The handlers of this node, by type. */
public final class HandlerRegistry {

    private final Map<String, HandlerDefinition> handlers = new ConcurrentHashMap<>();
    private final Map<Class<?>, String> typesByPayload = new ConcurrentHashMap<>();

    public void register(HandlerDefinition handler) {
        if (handlers.putIfAbsent(handler.type(), handler) != null) {
            throw new DuplicateHandlerException(handler.type());
        }
    }

    public @Nullable HandlerDefinition find(String type) {
        return handlers.get(type);
    }

    public Set<String> types() {
        return handlers.keySet();
    }

    public Collection<HandlerDefinition> all() {
        return handlers.values();
    }

    /** The type that {@link JobType} on the payload's class names, else that of the one handler that takes the class. */
    public String typeOf(Object payload) {
        return typesByPayload.computeIfAbsent(payload.getClass(), this::typeOf);
    }

    private String typeOf(Class<?> payloadClass) {
        JobType annotation = payloadClass.getAnnotation(JobType.class);
        if (annotation != null) {
            return annotation.value();
        }
        List<String> types = handlers.values().stream()
                .filter(handler -> handler.payloadType() == payloadClass)
                .map(HandlerDefinition::type)
                .sorted()
                .toList();
        if (types.size() == 1) {
            return types.get(0);
        }
        throw new InvalidJobException(
                "The type of a job with payload '%s' is not known: %s. Annotate the class with @JobType, or name the type: publish(type, payload)."
                        .formatted(
                                payloadClass.getName(),
                                types.isEmpty()
                                        ? "no handler on this node takes it"
                                        : "the handlers of " + types + " take it"));
    }

    /** Two handlers for one type. */
    public static final class DuplicateHandlerException extends InvalidJobException {

        private static final long serialVersionUID = 1L;

        private final String type;

        DuplicateHandlerException(String type) {
            super("Two handlers take jobs of type '%s'; exactly one may.".formatted(type));
            this.type = type;
        }

        public String type() {
            return type;
        }
    }
}
