package dev.jobqueue.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Finds environment variables such as {@code QUEUE_WORKER_SLOT} that are meant for a group of ours and that nobody
 * reads. They are only a warning, because any program may have variables that begin so.
 */
final class UnknownVariables {

    private static final Logger log = LoggerFactory.getLogger(UnknownVariables.class);

    /**
     * In what Kubernetes says of a service named 'queue-worker': QUEUE_WORKER_SERVICE_HOST, QUEUE_WORKER_PORT_80_TCP.
     */
    private static final Set<String> OF_KUBERNETES = Set.of("service", "port");

    /** Leaves out variables that are written like properties, with brackets. */
    private static final Pattern WORD = Pattern.compile("[a-z0-9]+");

    private UnknownVariables() {}

    static void check(ConfigurationPropertyName variable) {
        List<String> elements = IntStream.range(1, variable.getNumberOfElements())
                .mapToObj(each -> variable.getElement(each, Form.UNIFORM))
                .toList();
        if (!elements.stream().allMatch(each -> WORD.matcher(each).matches() && !OF_KUBERNETES.contains(each))) {
            return;
        }
        String name = "QUEUE_" + String.join("_", elements).toUpperCase(Locale.ROOT);
        List<String> inParts = withNameInParts(elements);
        if (!inParts.isEmpty()) {
            log.warn(
                    "Environment variable {}: the name '{}' has several parts, which a variable cannot have."
                            + " Set SPRING_APPLICATION_JSON='{\"{}\": ...}' instead.",
                    name,
                    inParts.get(1),
                    "queue.%s[%s].%s".formatted(inParts.toArray()));
            return;
        }
        checkKnown(name, elements);
    }

    private static void checkKnown(String variable, List<String> elements) {
        try {
            // a variable directly below the prefix may be somebody else's, unless it is a misspelt group of ours
            Set<String> foreign = new HashSet<>();
            UnknownProperties.check(property(elements), foreign);
            if (!foreign.isEmpty()) {
                UnknownProperties.closestGroup(elements.get(0))
                        .map(group -> replaceFirst(elements, group.replace("-", "")))
                        .filter(UnknownVariables::isKnown)
                        .ifPresent(meant -> log.warn(
                                "Environment variable {}: nobody reads it. Did you mean QUEUE_{}?",
                                variable,
                                String.join("_", meant).toUpperCase(Locale.ROOT)));
            }
        } catch (InvalidQueueConfigurationException ex) {
            log.warn("Environment variable {}: {} {}", variable, ex.getMessage(), ex.action());
        }
    }

    private static List<String> replaceFirst(List<String> elements, String first) {
        List<String> replaced = new ArrayList<>(elements);
        replaced.set(0, first);
        return replaced;
    }

    private static boolean isKnown(List<String> elements) {
        return !path(QueueProperties.class, elements).isEmpty();
    }

    /**
     * Group, name and property of a variable for a type or queue whose name has several parts, such as
     * {@code QUEUE_RETRY_PAYMENT_COLLECT_MAX_ATTEMPTS}; nothing if it is none.
     */
    private static List<String> withNameInParts(List<String> elements) {
        RecordComponent group = UnknownProperties.find(QueueProperties.class, elements.get(0));
        Class<?> type = group == null ? null : UnknownProperties.valueType(group);
        if (group == null || !Map.class.isAssignableFrom(group.getType()) || type == null || !type.isRecord()) {
            return List.of();
        }
        for (int i = 2; i < elements.size(); i++) {
            String property = path(type, elements.subList(i, elements.size()));
            if (!property.isEmpty()) {
                // a name of one part is an ordinary one
                return i == 2
                        ? List.of()
                        : List.of(group.getName(), String.join(".", elements.subList(1, i)), property);
            }
        }
        return List.of();
    }

    /** The property that the elements stand for from the type on; empty if there is none. */
    private static String path(Class<?> type, List<String> elements) {
        for (int i = 1; i <= elements.size(); i++) {
            RecordComponent component = UnknownProperties.find(type, String.join("", elements.subList(0, i)));
            if (component != null) {
                List<String> rest = elements.subList(i, elements.size());
                String name = DataObjectPropertyName.toDashedForm(component.getName());
                return path(name, component, rest);
            }
        }
        return "";
    }

    private static String path(String name, RecordComponent component, List<String> rest) {
        Class<?> type = UnknownProperties.valueType(component);
        boolean isMap = Map.class.isAssignableFrom(component.getType());
        if (type == null || !type.isRecord()) {
            // below a map or a list there are keys or indexes
            return rest.isEmpty() || isMap || Collection.class.isAssignableFrom(component.getType()) ? name : "";
        }
        if (rest.isEmpty()) {
            return "";
        }
        String below = path(type, isMap ? rest.subList(1, rest.size()) : rest);
        return below.isEmpty() ? "" : name + "." + below;
    }

    /** The property that a variable stands for: an underscore may be a dot or a dash. */
    private static ConfigurationPropertyName property(List<String> elements) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of("queue");
        for (String each : dashed(QueueProperties.class, elements)) {
            name = name.append(each);
        }
        return name;
    }

    /** Joins elements with dashes: the parts of one name, or elements that are no known name. */
    private static List<String> dashed(Class<?> type, List<String> elements) {
        for (int i = 1; i <= elements.size(); i++) {
            RecordComponent component = UnknownProperties.find(type, String.join("", elements.subList(0, i)));
            if (component != null) {
                List<String> dashed = new ArrayList<>();
                dashed.add(String.join("-", elements.subList(0, i)));
                dashed.addAll(below(component, elements.subList(i, elements.size())));
                return dashed;
            }
        }
        boolean isKey = !elements.isEmpty() && UnknownProperties.find(type, elements.get(elements.size() - 1)) != null;
        return elements.isEmpty() || isKey ? elements : List.of(String.join("-", elements));
    }

    private static List<String> below(RecordComponent component, List<String> elements) {
        Class<?> type = UnknownProperties.valueType(component);
        if (type == null || !type.isRecord() || elements.isEmpty()) {
            return elements;
        }
        if (!Map.class.isAssignableFrom(component.getType())) {
            return dashed(type, elements);
        }
        List<String> dashed = new ArrayList<>(elements.subList(0, 1));
        dashed.addAll(dashed(type, elements.subList(1, elements.size())));
        return dashed;
    }
}
