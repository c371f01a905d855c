package dev.jobqueue.internal.handle;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.JobType;
import java.lang.reflect.Type;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;

/** The handlers of this node, by type. */
public final class HandlerRegistry {

    private final Map<String, HandlerDefinition> handlers = new ConcurrentHashMap<>();
    private final Map<String, String> places = new ConcurrentHashMap<>();
    private final Map<Class<?>, String> typesByPayload = new ConcurrentHashMap<>();
    private final Map<Class<?>, Optional<JobType>> annotations = new ConcurrentHashMap<>();

    /**
     * Registers a handler under its type and its aliases.
     *
     * @param place where the handler is defined, for a message that says which two handlers take the same type
     */
    public void register(HandlerDefinition given, String place) {
        HandlerDefinition handler = inQueueOfItsType(given, place);
        for (String name : names(handler)) {
            String other = places.putIfAbsent(name, place);
            if (other != null) {
                throw new DuplicateHandlerException(name, other, place);
            }
            handlers.put(name, handler);
        }
    }

    /** The type, and the names that jobs of it were stored under before. */
    private Set<String> names(HandlerDefinition handler) {
        Set<String> names = new LinkedHashSet<>();
        names.add(handler.type());
        names.addAll(handler.aliases());
        annotation(handler).ifPresent(annotation -> names.addAll(List.of(annotation.aliases())));
        return names;
    }

    /** The {@link JobType} of the payload, if it names the type of the handler. */
    private Optional<JobType> annotation(HandlerDefinition handler) {
        Class<?> payloadClass = classOf(handler.payloadType());
        return payloadClass == null ? Optional.empty() : annotation(payloadClass, handler.type());
    }

    private Optional<JobType> annotation(Class<?> payloadClass, String type) {
        return annotation(payloadClass).filter(found -> found.value().equals(type));
    }

    private Optional<JobType> annotation(Class<?> payloadClass) {
        return annotations.computeIfAbsent(
                payloadClass, each -> Optional.ofNullable(AnnotationUtils.findAnnotation(each, JobType.class)));
    }

    /** Returns the handler in the queue that {@link JobType} names; a handler in the default queue has named none. */
    private HandlerDefinition inQueueOfItsType(HandlerDefinition handler, String place) {
        String queue = annotation(handler).map(JobType::queue).orElse("");
        if (queue.isEmpty() || queue.equals(handler.queue())) {
            return handler;
        }
        if (!handler.queue().equals(HandlerDefinition.DEFAULT_QUEUE)) {
            throw new DifferentQueueException(handler, queue, place);
        }
        return handler.queue(queue);
    }

    /**
     * The queue of a job whose publisher names none: the one that {@link JobType} on the payload's class names, else
     * that of the handler; {@code null} if neither is known here.
     */
    public @Nullable String queueOf(String type, @Nullable Object payload) {
        if (payload != null) {
            Optional<JobType> annotation = annotation(payload.getClass(), type);
            if (annotation.isPresent() && !annotation.get().queue().isEmpty()) {
                return annotation.get().queue();
            }
        }
        HandlerDefinition handler = find(type);
        return handler == null ? null : handler.queue();
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
     * The type that {@link JobType} on the payload's class names, else that of the one handler that takes the class, or
     * a sealed type that the class belongs to.
     */
    public String typeOf(Object payload) {
        return typesByPayload.computeIfAbsent(payload.getClass(), this::typeOf);
    }

    private String typeOf(Class<?> payloadClass) {
        Optional<JobType> annotation = annotation(payloadClass);
        if (annotation.isPresent()) {
            return annotation.get().value();
        }
        List<String> types = typesOf(taken -> taken == payloadClass);
        if (types.isEmpty()) {
            types = typesOf(taken -> taken.isSealed() && taken.isAssignableFrom(payloadClass));
        }
        if (types.size() == 1) {
            return types.get(0);
        }
        throw new InvalidJobException(
                ("The type of a job with payload '%s' is not known: %s. Annotate the class with @JobType, or name"
                                + " the type: publish(type, payload).")
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

    /** A handler in another queue than the one its payload's {@link JobType} names. */
    public static final class DifferentQueueException extends InvalidJobException {

        private static final long serialVersionUID = 1L;

        private final String action;

        DifferentQueueException(HandlerDefinition handler, String queue, String place) {
            super("%s names the queue '%s' for jobs of type '%s', but @JobType of their payload '%s' names '%s'."
                    .formatted(
                            place,
                            handler.queue(),
                            handler.type(),
                            handler.payloadType().getTypeName(),
                            queue));
            this.action = "Remove the queue from the handler of '%s', or name the same queue in both places."
                    .formatted(handler.type());
        }

        public String action() {
            return action;
        }
    }

    /** Two handlers for one type. */
    public static final class DuplicateHandlerException extends InvalidJobException {

        private static final long serialVersionUID = 1L;

        private final String type;

        DuplicateHandlerException(String type, String one, String other) {
            super("Two handlers take jobs of type '%s', and exactly one may:%n- %s"
                    .formatted(
                            type,
                            Stream.of(one, other).sorted().collect(Collectors.joining(System.lineSeparator() + "- "))));
            this.type = type;
        }

        public String type() {
            return type;
        }
    }
}
