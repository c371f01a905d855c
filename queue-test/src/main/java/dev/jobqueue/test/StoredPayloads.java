package dev.jobqueue.test;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.spi.ManualWorker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.util.StringUtils;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Payloads in files, and whether the handlers can read them. */
final class StoredPayloads {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String ENDING = ".json";

    private final ManualWorker worker;
    private final String folder;
    private final Set<String> givenUp;

    StoredPayloads(ManualWorker worker, String folder, Set<String> givenUp) {
        this.worker = worker;
        this.folder = StringUtils.trimTrailingCharacter(StringUtils.trimLeadingCharacter(folder, '/'), '/');
        this.givenUp = givenUp;
    }

    /** What is wrong with them; nothing if all can be read. */
    @Nullable
    String problems() {
        try {
            Resource[] files =
                    new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/**/*" + ENDING);
            if (files.length == 0) {
                return "There are no files '%1$s/<type>.json' or '%1$s/<type>/<any name>.json' on the class path"
                        .formatted(folder);
            }
            List<String> problems = new ArrayList<>();
            for (Resource file : files) {
                String name = name(file);
                String problem = problem(type(name), file);
                if (problem != null) {
                    problems.add(name + ": " + problem);
                }
            }
            return problems.isEmpty()
                    ? null
                    : "Stored payloads that the handlers cannot read any more:\n  " + String.join("\n  ", problems);
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    /** Its path within the folder. */
    private String name(Resource file) throws IOException {
        String path = URLDecoder.decode(file.getURL().getPath().replace("+", "%2B"), StandardCharsets.UTF_8);
        return path.substring(path.lastIndexOf("/" + folder + "/") + folder.length() + 2);
    }

    private static String type(String name) {
        int folder = name.indexOf('/');
        return folder < 0 ? name.substring(0, name.length() - ENDING.length()) : name.substring(0, folder);
    }

    private @Nullable String problem(String type, Resource file) throws IOException {
        try {
            String json = file.getContentAsString(StandardCharsets.UTF_8);
            return json.isBlank() ? "the file is empty" : problem(type, json);
        } catch (CharacterCodingException ex) {
            return "the file is not in UTF-8";
        }
    }

    private @Nullable String problem(String type, String json) {
        HandlerDefinition handler = worker.handlers().get(type);
        if (handler == null) {
            return ("no handler of this test takes type '%s'. If another type replaces it, name it as an alias of"
                            + " that one; if no such job is stored any more, delete the file.")
                    .formatted(type);
        }
        if (handler.payloadType() == Void.class) {
            return null;
        }
        try {
            Set<String> lost = lost(type, handler, json);
            lost.removeAll(givenUp);
            return lost.isEmpty()
                    ? null
                    : ("'%s' has no place for %s, whose value is lost. Name it in readsPayloadsIn(...) if no handler"
                                    + " needs it.")
                            .formatted(payloadName(handler), String.join(", ", lost));
        } catch (RuntimeException ex) {
            return String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
        }
    }

    private static String payloadName(HandlerDefinition handler) {
        return ResolvableType.forType(handler.payloadType())
                .resolve(Object.class)
                .getSimpleName();
    }

    /** The fields that nothing is read from. */
    private Set<String> lost(String type, HandlerDefinition handler, String json) {
        JsonNode stored = JSON.readTree(json);
        JsonNode read = read(handler, stored);
        List<Field> missing = new ArrayList<>();
        compare(type, stored, read, missing);
        Set<String> lost = new LinkedHashSet<>();
        for (Field field : missing) {
            if (isLost(field, handler, stored, read)) {
                lost.add(field.path());
            }
        }
        return lost;
    }

    /** What a handler would get, as it would be stored again. */
    private JsonNode read(HandlerDefinition handler, JsonNode stored) {
        return JSON.readTree(worker.write(worker.readPayload(stored.toString(), handler.payloadType())));
    }

    /** Collects the fields of what was stored that are not there after it was read. */
    private static void compare(String path, JsonNode stored, @Nullable JsonNode read, List<Field> missing) {
        if (stored instanceof ObjectNode object) {
            object.forEachEntry((name, value) -> {
                JsonNode found = read == null ? null : read.get(name);
                if (found == null || (found.isNull() && !value.isNull())) {
                    missing.add(new Field(path + "." + name, object, name));
                } else {
                    compare(path + "." + name, value, found, missing);
                }
            });
        } else if (stored.isArray()) {
            for (int i = 0; i < stored.size(); i++) {
                compare(path, stored.get(i), read == null ? null : read.get(i), missing);
            }
        }
    }

    /** It may be read under another name, as with an alias: then reading without it makes a difference. */
    private boolean isLost(Field field, HandlerDefinition handler, JsonNode stored, JsonNode read) {
        JsonNode value = field.owner().remove(field.name());
        try {
            return !value.isNull() && read(handler, stored).equals(read);
        } catch (RuntimeException ex) {
            // the handler needs it
            return false;
        } finally {
            field.owner().set(field.name(), value);
        }
    }

    /** A field of a stored payload. */
    private record Field(String path, ObjectNode owner, String name) {}
}
