package dev.jobqueue.docs;

import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.JsonNode;

/** What there is to say about a property. */
record PropertyDoc(String name, String value, String meaning) {

    private static final Map<String, String> KEYS = Map.of(
            "queue.queues", "queue.queues.<name>",
            "queue.retry", "queue.retry[<type>]",
            "queue.limits", "queue.limits.<name>",
            "queue.schedules", "queue.schedules.<name>");

    /** Of an entry of the metadata; for a map, of everything that one of its values has. */
    static Stream<PropertyDoc> of(JsonNode entry) {
        String name = ConfigurationReference.name(entry);
        String type = entry.path("type").asString("");
        if (KEYS.containsKey(name)) {
            String valueType = type.substring(type.indexOf(',') + 1, type.length() - 1);
            return ofRecord(KEYS.get(name), load(valueType));
        }
        JsonNode value = entry.path("defaultValue");
        String text = value.isArray()
                ? value.valueStream().map(JsonNode::asString).collect(Collectors.joining(", "))
                : value.asString("");
        return Stream.of(new PropertyDoc(
                name, text, entry.path("description").asString("") + choice(type.isEmpty() ? null : find(type))));
    }

    private static Stream<PropertyDoc> ofRecord(String prefix, Class<?> type) {
        return Arrays.stream(type.getRecordComponents()).flatMap(component -> {
            String name = prefix + "." + kebab(component.getName());
            return component.getType().isRecord()
                    ? ofRecord(name, component.getType())
                    : Stream.of(new PropertyDoc(
                            name,
                            value(component),
                            RecordComments.meaning(type, component.getName()) + choice(component.getType())));
        });
    }

    private static String value(RecordComponent component) {
        List<DefaultValue> values = Arrays.stream(component
                        .getDeclaringRecord()
                        .getDeclaredConstructors()[0]
                        .getParameters())
                .filter(parameter -> parameter.getName().equals(component.getName()))
                .map(parameter -> parameter.getAnnotation(DefaultValue.class))
                .filter(annotation -> annotation != null)
                .toList();
        return values.isEmpty() ? "" : String.join(", ", values.get(0).value());
    }

    private static String choice(@org.jspecify.annotations.Nullable Class<?> type) {
        if (type == null || !type.isEnum()) {
            return "";
        }
        return Arrays.stream(type.getEnumConstants())
                .map(constant ->
                        "`" + String.valueOf(constant).toLowerCase(Locale.ROOT).replace('_', '-') + "`")
                .collect(Collectors.joining(", ", " (", ")"));
    }

    private static Class<?> load(String name) {
        return ClassUtils.resolveClassName(name, null);
    }

    private static @org.jspecify.annotations.Nullable Class<?> find(String name) {
        return ClassUtils.isPresent(name, null) ? load(name) : null;
    }

    private static String kebab(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    /** A row of a table. */
    String row() {
        String shown = value.isEmpty() ? "" : "`" + value.replace("read_only", "read-only") + "`";
        return "| `%s` | %s | %s |\n"
                .formatted(name, shown, meaning.replace("|", "\\|").replace("*", "\\*"));
    }
}
