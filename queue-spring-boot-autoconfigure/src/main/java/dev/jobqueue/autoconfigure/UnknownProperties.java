package dev.jobqueue.autoconfigure;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;

/**
 * Finds properties below {@code queue} that nobody reads. One in a group of ours is a typing error and fails the start.
 * One directly below {@code queue} may be the application's own, so it is only a warning. As in Boot's own check,
 * system properties are left out: they may belong to another program.
 */
final class UnknownProperties {

    private static final Logger log = LoggerFactory.getLogger(UnknownProperties.class);

    private static final ConfigurationPropertyName PREFIX = ConfigurationPropertyName.of("queue");

    /** Groups of other modules, which refuse unknown names themselves. */
    private static final Set<String> OF_OTHER_MODULES = Set.of("dashboard");

    private UnknownProperties() {}

    static void check(Environment environment) {
        Set<String> foreign = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource iterable) {
                IterableConfigurationPropertySource ours = iterable.filter(PREFIX::isAncestorOf);
                if (isNamed(source, StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME)) {
                    ours.forEach(UnknownVariables::check);
                } else if (!isNamed(source, StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)) {
                    ours.forEach(name -> check(name, foreign));
                }
            }
        }
        if (!foreign.isEmpty()) {
            log.warn(
                    "The job queue does not read these properties, although they begin with 'queue': {}. Its"
                            + " groups are: {}."
                            + " If they are your application's own, silence this: logging.level.{}=error",
                    foreign,
                    names(QueueProperties.class),
                    UnknownProperties.class.getName());
        }
    }

    private static boolean isNamed(ConfigurationPropertySource source, String name) {
        return source.getUnderlyingSource() instanceof PropertySource<?> underlying
                && underlying.getName().equals(name);
    }

    /** Adds a property directly below the prefix to the foreign ones, and throws for one in a group of ours. */
    static void check(ConfigurationPropertyName name, Set<String> foreign) {
        if (OF_OTHER_MODULES.contains(name.getElement(1, Form.UNIFORM))) {
            return;
        }
        Class<?> type = QueueProperties.class;
        for (int i = 1; i < name.getNumberOfElements(); i++) {
            RecordComponent component = find(type, name.getElement(i, Form.UNIFORM));
            if (component == null) {
                if (i > 1) {
                    throw unknown(type, name, i);
                }
                foreign.add(name + meant(name.getElement(1, Form.DASHED)));
                return;
            }
            type = valueType(component);
            if (Map.class.isAssignableFrom(component.getType())) {
                // the next element is a name that the application chose
                i++;
            }
            if (type == null || !type.isRecord()) {
                return;
            }
        }
    }

    private static String meant(String element) {
        return closestGroup(element).map(" (did you mean '%s'?)"::formatted).orElse("");
    }

    /** What was meant directly below the prefix, if a name there is close enough. */
    static Optional<String> closestGroup(String element) {
        return Spelling.closest(element, names(QueueProperties.class)).filter(each -> Spelling.isClose(element, each));
    }

    /** The type of a property, or of the values of a map. */
    static @Nullable Class<?> valueType(RecordComponent component) {
        return Map.class.isAssignableFrom(component.getType())
                ? ResolvableType.forType(component.getGenericType()).resolveGeneric(1)
                : component.getType();
    }

    static @Nullable RecordComponent find(Class<?> type, String element) {
        return Arrays.stream(type.getRecordComponents())
                .filter(component ->
                        component.getName().toLowerCase(Locale.ROOT).equals(element))
                .findFirst()
                .orElse(null);
    }

    private static InvalidQueueConfigurationException unknown(Class<?> type, ConfigurationPropertyName name, int i) {
        return new InvalidQueueConfigurationException(
                "The property '%s' is not known.".formatted(name),
                isDotted(type, name, i) ? brackets(name, i) : guess(type, name, i));
    }

    private static String guess(Class<?> type, ConfigurationPropertyName name, int i) {
        ConfigurationPropertyName parent = name.chop(i);
        Set<String> known = names(type);
        String closest =
                Spelling.closest(name.getElement(i, Form.DASHED), known).orElseThrow();
        return "Did you mean '%s.%s'? Below '%s' there are: %s."
                .formatted(parent, closest, parent, String.join(", ", known));
    }

    /** A type or queue whose name has dots is read as several elements. */
    private static boolean isDotted(Class<?> type, ConfigurationPropertyName name, int i) {
        return i + 1 < name.getNumberOfElements()
                && find(type, name.getElement(name.getNumberOfElements() - 1, Form.UNIFORM)) != null;
    }

    private static String brackets(ConfigurationPropertyName name, int i) {
        String key = IntStream.range(i - 1, name.getNumberOfElements() - 1)
                .mapToObj(each -> name.getElement(each, Form.ORIGINAL))
                .collect(Collectors.joining("."));
        return "If '%s' is one name, write it in brackets: %s[%s].%s."
                .formatted(key, name.chop(i - 1), key, name.getLastElement(Form.DASHED));
    }

    private static Set<String> names(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> DataObjectPropertyName.toDashedForm(component.getName()))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
