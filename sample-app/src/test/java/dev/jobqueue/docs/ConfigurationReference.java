package dev.jobqueue.docs;

import dev.jobqueue.RetryPolicy;
import dev.jobqueue.internal.Spans;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The page about all properties, made of the metadata that IDEs read. */
final class ConfigurationReference {

    private static final List<String> ESSENTIAL = List.of(
            "queue.queues.<name>.slots",
            "queue.worker.slots",
            "queue.worker.queues",
            "queue.worker.enabled",
            "queue.worker.shutdown-grace",
            "queue.retry[<type>].max-attempts",
            "queue.retry[<type>].backoff",
            "queue.retry[<type>].timeout",
            "queue.limits.<name>.running",
            "queue.limits.<name>.rate",
            "queue.schedules.<name>.cron",
            "queue.retention",
            "queue.publisher.require-transaction",
            "queue.listener.enabled",
            "queue.schema.name",
            "queue.schema.migrate");

    /** By which our own metadata is known. */
    private static final Set<String> OURS = Set.of("queue.enabled", "queue.dashboard.enabled");

    private static final Map<String, String> GROUPS = groups();

    private static final String INTRODUCTION = """
            # Configuration

            Every property with its default, made of the metadata that your IDE completes from; do not edit it by
            hand.

            A duration is written like `500ms`, `30s`, `5m`, `1h`, `7d` or `PT30S`. A wrong value fails the start,
            and the message says what to write instead. So does a property of these groups that does not exist; an
            environment variable that names none (`QUEUE_WORKER_SLOT`) is a warning. A type or a name with dots goes
            in brackets: `queue.retry[invoice.send].backoff`, in YAML `"[invoice.send]":`. No environment variable can
            be named so; there, `SPRING_APPLICATION_JSON='{"queue.retry[invoice.send].backoff": "30s"}'` says the same.

            A property of your application may begin with `queue` too, such as `queue.name`. It is not read, and a
            warning at start names it, because it may be a misspelt group. Set
            `logging.level.dev.jobqueue.autoconfigure.UnknownProperties=error` to silence the warning.

            The properties of a type override its `@JobHandler`, those of a schedule its `@JobSchedule`, and those of a
            limit its `@Limit`, `@Fifo` or `@FairShare`. Retries that neither of them sets: %d attempts, the first delay
            `%s`, each next delay %.0f times the last, at most `%s`, less a random share of up to %s.
            """.formatted(
                    RetryPolicy.DEFAULT.maxAttempts(),
                    Spans.text(RetryPolicy.DEFAULT.backoff()),
                    RetryPolicy.DEFAULT.factor(),
                    Spans.text(RetryPolicy.DEFAULT.maximum()),
                    RetryPolicy.DEFAULT.jitter());

    private ConfigurationReference() {}

    private static Map<String, String> groups() {
        Map<String, String> groups = new LinkedHashMap<>();
        groups.put("queue.worker.", "This node as a worker");
        groups.put("queue.queues", "Single queues");
        groups.put("queue.retry", "Retries, by type");
        groups.put("queue.limits", "Limits, by name");
        groups.put("queue.schedules", "Schedules, by name");
        groups.put("queue.publisher.", "Publishing");
        groups.put("queue.forward.", "Forwarding to brokers");
        groups.put("queue.listener.", "Wake-ups");
        groups.put("queue.schema.", "The schema");
        groups.put("queue.dashboard.", "The dashboard, with its module");
        groups.put("queue.health.", "Health");
        groups.put("queue.metrics.", "Meters");
        groups.put("queue.endpoint.", "The endpoint `queues`");
        groups.put("management.", "The endpoint `queues`, by Spring Boot");
        groups.put("queue.", "The rest");
        return groups;
    }

    /** The page as it should be. */
    static String page() {
        Map<String, PropertyDoc> properties = properties();
        StringBuilder page = new StringBuilder(INTRODUCTION);
        table(page, "Essential", ESSENTIAL.stream().map(properties::get).toList());
        Map<String, PropertyDoc> rest = new LinkedHashMap<>(properties);
        GROUPS.forEach((prefix, title) -> {
            List<PropertyDoc> group = rest.values().stream()
                    .filter(property -> property.name().startsWith(prefix))
                    .toList();
            group.forEach(property -> rest.remove(property.name()));
            table(page, title, group);
        });
        return page.toString();
    }

    private static void table(StringBuilder page, String title, List<PropertyDoc> properties) {
        page.append("\n## ").append(title).append("\n\n| property | default | meaning |\n|---|---|---|\n");
        properties.forEach(property -> page.append(property.row()));
    }

    /** All properties by name, those of entries of maps included. */
    static Map<String, PropertyDoc> properties() {
        Map<String, PropertyDoc> properties = new TreeMap<>();
        for (JsonNode metadata : metadata()) {
            List<JsonNode> entries = metadata.path("properties").valueStream().toList();
            if (entries.stream().anyMatch(entry -> OURS.contains(name(entry)))) {
                entries.forEach(entry -> PropertyDoc.of(entry).forEach(doc -> properties.put(doc.name(), doc)));
            }
        }
        return properties;
    }

    /** The names of all properties that any library on the class path knows. */
    static List<String> knownNames() {
        return metadata().stream()
                .flatMap(metadata -> metadata.path("properties").valueStream())
                .map(ConfigurationReference::name)
                .toList();
    }

    static String name(JsonNode entry) {
        return entry.path("name").asString("");
    }

    private static List<JsonNode> metadata() {
        List<JsonNode> found = new ArrayList<>();
        try {
            for (URL url : Collections.list(ConfigurationReference.class
                    .getClassLoader()
                    .getResources("META-INF/spring-configuration-metadata.json"))) {
                try (InputStream in = url.openStream()) {
                    found.add(JsonMapper.shared().readTree(in));
                }
            }
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        return found;
    }
}
