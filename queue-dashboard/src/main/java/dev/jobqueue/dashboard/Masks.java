package dev.jobqueue.dashboard;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What jobs carry, as people may see it: secrets are masked before anything is cut off. */
final class Masks {

    static final String MASK = "\u2022\u2022\u2022\u2022\u2022";

    private final List<String> names;
    private final int longest;

    Masks(Collection<String> names, int longest) {
        this.names =
                names.stream().map(Masks::plain).filter(each -> !each.isEmpty()).toList();
        this.longest = longest;
    }

    /** Return JSON as a part of the answer; what is too long as a text that says so. */
    @Nullable
    Object json(@Nullable String text) {
        if (text == null) {
            return null;
        }
        JsonNode tree;
        try {
            tree = Call.MAPPER.readTree(text);
        } catch (JacksonException ex) {
            // nested deeper than the reader goes: nobody can tell what is secret in it
            return truncated(text, "");
        }
        JsonNode masked = masked(tree);
        byte[] bytes = Responses.MAPPER.writeValueAsBytes(masked);
        return bytes.length <= longest ? masked : truncated(text, cut(new String(bytes, StandardCharsets.UTF_8)));
    }

    private static Map<String, Object> truncated(String text, String shown) {
        Map<String, Object> truncated = new LinkedHashMap<>();
        truncated.put("$truncated", text.getBytes(StandardCharsets.UTF_8).length);
        truncated.put("text", shown);
        return truncated;
    }

    Map<String, String> headers(Map<String, String> headers) {
        Map<String, String> shown = new LinkedHashMap<>();
        headers.forEach((name, value) -> shown.put(name, isSecret(name) ? MASK : cut(value)));
        return shown;
    }

    /** Return a text that is not too long. */
    String cut(String text) {
        if (text.length() <= longest) {
            return text;
        }
        boolean splits = longest > 0 && Character.isHighSurrogate(text.charAt(longest - 1));
        int end = splits ? longest - 1 : longest;
        return text.substring(0, end);
    }

    private JsonNode masked(JsonNode node) {
        if (node instanceof ObjectNode object) {
            List.copyOf(object.propertyNames()).forEach(name -> {
                if (isSecret(name)) {
                    object.put(name, MASK);
                } else {
                    masked(object.get(name));
                }
            });
        } else if (node instanceof ArrayNode array) {
            array.forEach(this::masked);
        }
        return node;
    }

    private boolean isSecret(String name) {
        String plain = plain(name);
        return names.stream().anyMatch(plain::contains);
    }

    /** Without what differs between apiKey, api_key and Api-Key. */
    private static String plain(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[-_.\\s]", "");
    }
}
