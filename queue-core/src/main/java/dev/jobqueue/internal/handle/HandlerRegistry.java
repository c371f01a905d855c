package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;

/** The handlers of this node, by type. */
public final class HandlerRegistry {

    private final Map<String, HandlerDefinition> handlers = new ConcurrentHashMap<>();
    private final Map<String, String> places = new ConcurrentHashMap<>();
    private final Map<Class<?>, String> typesByPayload = new ConcurrentHashMap<>();

    /**
     * Registers a handler under its type and its aliases.
     *
     * @param place where the handler is defined, for a message that says which two handlers take the same type
     */
    public void register(HandlerDefinition handler, String place) {
        for (String name : names(handler)) {
            String other = places.putIfAbsent(name, place);
            if (other != null) {
                throw new DuplicateHandlerException(name, other, place);
            }
            handlers.put(name, handler);
        }
    }

    /** The type, and the names that jobs of it were stored under before. */
    private static Set<String> names(HandlerDefinition handler) {
        Set<String> names = new LinkedHashSet<>();
        names.add(handler.type());
        names.addAll(handler.aliases());
        JobType annotation = jobType(handler.payloadType());
        if (annotation != null && annotation.value().equals(handler.type())) {
            names.addAll(List.of(annotation.aliases()));
        }
        return names;
    }

    /** What the class of a payload says about the type of its jobs. */
    public static @Nullable JobType jobType(Type payloadType) {
        Class<?> payloadClass = classOf(payloadType);
        return payloadClass == null ? null : AnnotationUtils.findAnnotation(payloadClass, JobType.class);
    }

    public @Nullable HandlerDefinition find(String type) {
        return handlers.get(type);
    }

    /** The types that this node handles, aliases included. */
    public Set<String> types() {
        return handlers.keySet();
    }

    public Collection<HandlerDefinition> all() {
        return Set.copyOf(handlers.values());
    }

    /**
     * The type that {@link JobType} on the payload's class names, else that of the one handler that takes the class, or a
     * sealed type that the class belongs to.
     */
    public String typeOf(Object payload) {
        return typesByPayload.computeIfAbsent(payload.getClass(), this::typeOf);
    }

    private String typeOf(Class<?> payloadClass) {
        JobType annotation = AnnotationUtils.findAnnotation(payloadClass, JobType.class);
        if (annotation != null) {
            return annotation.value();
        }
        List<String> types = typesOf(taken -> taken == payloadClass);
        if (types.isEmpty()) {
            types = typesOf(taken -> taken.isSealed() && taken.isAssignableFrom(payloadClass));
        }
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

    private List<String> typesOf(Predicate<Class<?>> payloads) {
        return all().stream()
                .filter(handler -> {
                    Class<?> taken = classOf(handler.payloadType());
                    return taken != null && payloads.test(taken);
                })
                .map(HandlerDefinition::type)
                .sorted()
                .toList();
    }

    private static @Nullable Class<?> classOf(Type type) {
        return ResolvableType.forType(type).resolve();
    }

    /** Two handlers for one type. */
    public static final class DuplicateHandlerException extends InvalidJobException {

        private static final long serialVersionUID = 1L;

        private final String type;

        DuplicateHandlerException(String type, String one, String other) {
            super("Two handlers take jobs of type '%s', and exactly one may:%n- %s%n- %s".formatted(type, one, other));
            this.type = type;
        }

        public String type() {
            return type;
        }
    }
}
