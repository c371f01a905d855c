package dev.jobqueue.test;

import dev.jobqueue.HandlerDefinition;
import dev.jobqueue.JobType;
import dev.jobqueue.spi.ManualWorker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Payloads in files, and whether the handlers can read them. */
final class StoredPayloads {

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String ENDING = ".json";

    private final ManualWorker worker;
    private final List<String> givenUp;

    StoredPayloads(ManualWorker worker, List<String> givenUp) {
        this.worker = worker;
        this.givenUp = givenUp;
    }

    List<String> problemsIn(String folder) {
        try {
            Resource[] files =
                    new PathMatchingResourcePatternResolver().getResources("classpath*:" + folder + "/**/*" + ENDING);
            List<String> problems = new ArrayList<>();
            if (files.length == 0) {
                problems.add("there are no files '%s/<type>.json' on the class path".formatted(folder));
            }
            for (Resource file : files) {
                String path = file.getURL().getPath();
                String name = path.substring(path.lastIndexOf("/" + folder + "/") + folder.length() + 2);
                String problem = problem(type(name), file.getContentAsString(StandardCharsets.UTF_8));
                if (problem != null) {
                    problems.add(name + ": " + problem);
                }
            }
            return problems;
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }

    private static String type(String name) {
        int folder = name.indexOf('/');
        return folder < 0 ? name.substring(0, name.length() - ENDING.length()) : name.substring(0, folder);
    }

    private @Nullable String problem(String type, String json) {
        HandlerDefinition handler = worker.handlers().stream()
                .filter(each -> handles(each, type))
                .findFirst()
                .orElse(null);
        if (handler == null) {
            return "no handler takes type '%s'; name it as an alias of the type that replaces it".formatted(type);
        }
        if (handler.payloadType() == Void.class) {
            return null;
        }
        try {
            Object payload = worker.readPayload(json.strip(), handler.payloadType());
            List<String> lost = new ArrayList<>();
            compare(type, JSON.readTree(json), JSON.readTree(worker.write(payload)), lost);
            lost.removeAll(givenUp);
            return lost.isEmpty() ? null : "'%s' does not read %s".formatted(name(handler), lost);
        } catch (RuntimeException ex) {
            return String.valueOf(ex.getMessage()).lines().findFirst().orElse("");
        }
    }

    private static boolean handles(HandlerDefinition handler, String type) {
        JobType annotation = AnnotationUtils.findAnnotation(
                ResolvableType.forType(handler.payloadType()).resolve(Object.class), JobType.class);
        return handler.type().equals(type)
                || handler.aliases().contains(type)
                || (annotation != null
                        && annotation.value().equals(handler.type())
                        && Arrays.asList(annotation.aliases()).contains(type));
    }

    private static String name(HandlerDefinition handler) {
        return ResolvableType.forType(handler.payloadType())
                .resolve(Object.class)
                .getSimpleName();
    }

    /** Collects the fields of what was stored that are not there after it was read. */
    private static void compare(String path, JsonNode stored, @Nullable JsonNode read, List<String> lost) {
        if (read == null || (read.isNull() && !stored.isNull())) {
            if (!stored.isNull()) {
                lost.add(path);
            }
        } else if (stored.isObject()) {
            stored.forEachEntry((name, value) -> compare(path + "." + name, value, read.get(name), lost));
        } else if (stored.isArray()) {
            for (int i = 0; i < stored.size(); i++) {
                compare(path, stored.get(i), read.get(i), lost);
            }
        }
    }
}
