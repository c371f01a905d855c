package dev.jobqueue.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;

/**
 * Finds environment variables such as {@code QUEUE_WORKER_SLOT} that are meant for a group of ours and that nobody reads.
 * They are only told of, because any program may have variables that begin so.
 */
final class UnknownVariables {

    private static final Logger log = LoggerFactory.getLogger(UnknownVariables.class);

    /** In what Kubernetes says of a service named 'queue-worker': QUEUE_WORKER_SERVICE_HOST, QUEUE_WORKER_PORT_80_TCP. */
    private static final Set<String> OF_KUBERNETES = Set.of("service", "port");

    /** A variable may also be written as the property is, with brackets and all: that is not looked at. */
    private static final Pattern WORD = Pattern.compile("[a-z0-9]+");

    private UnknownVariables() {}

    static void check(ConfigurationPropertyName variable) {
        List<String> elements = IntStream.range(1, variable.getNumberOfElements())
                .mapToObj(each -> variable.getElement(each, Form.UNIFORM))
                .toList();
        if (!elements.stream().allMatch(each -> WORD.matcher(each).matches() && !OF_KUBERNETES.contains(each))) {
            return;
        }
        try {
            // what is directly below the prefix is not ours to report
            UnknownProperties.check(property(elements), new HashSet<>());
        } catch (InvalidQueueConfigurationException ex) {
            log.warn(
                    "Environment variable QUEUE_{}: {} {}",
                    String.join("_", elements).toUpperCase(Locale.ROOT),
                    ex.getMessage(),
                    ex.action());
        }
    }

    /** The property that a variable stands for: an underscore may be a dot or a dash. */
    private static ConfigurationPropertyName property(List<String> elements) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of("queue");
        for (String each : dashed(QueueProperties.class, elements)) {
            name = name.append(each);
        }
        return name;
    }

    /** Joins with dashes what is one name, or what is none that we know. */
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
