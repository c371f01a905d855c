package dev.jobqueue.internal.schema;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.store.Schema;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * All that {@link SchemaMigrator} would do, as one script for people who run such things themselves. Needs nothing but
 * this jar: {@code java -jar queue-core.jar [schema [version]]}.
 */
public final class SchemaScript {

    private static final String DEFAULT_SCHEMA = "queue";
    private static final String BEFORE = "beforeEachMigrate.sql";

    private final Schema schema;
    private final int version;

    /**
     * @param version what is there already: files of this and older versions are left out, all functions and views are
     *     brought up to date; 0 for a database without the queue
     */
    SchemaScript(Schema schema, int version) {
        this.schema = schema;
        this.version = version;
    }

    public static void main(String[] arguments) throws IOException {
        String script;
        try {
            script = parse(arguments).text();
        } catch (InvalidJobException | NumberFormatException ex) {
            System.err.printf(
                    "%s%nUsage: java -jar queue-core.jar [schema (%s) [version that is there already (0)]]%n",
                    ex.getMessage(), DEFAULT_SCHEMA);
            System.exit(2);
            return;
        }
        System.out.write(script.getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    private static SchemaScript parse(String... arguments) {
        if (arguments.length > 2) {
            throw new InvalidJobException("%d arguments are more than two.".formatted(arguments.length));
        }
        return new SchemaScript(
                new Schema(arguments.length > 0 ? arguments[0] : DEFAULT_SCHEMA),
                arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0);
    }

    String text() throws IOException {
        return withFolder(this::textOf);
    }

    private String textOf(Path folder) throws IOException {
        List<Path> versioned = new ArrayList<>();
        List<Path> repeatable = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(file -> name(file).endsWith(".sql")).forEach(file -> {
                if (name(file).startsWith("V") && version(file) > version) {
                    versioned.add(file);
                } else if (name(file).startsWith("R__")) {
                    repeatable.add(file);
                }
            });
        }
        versioned.sort(Comparator.comparing(SchemaScript::version));
        repeatable.sort(Comparator.comparing(SchemaScript::description));

        StringBuilder script = new StringBuilder("BEGIN;\n\n");
        script.append("CREATE SCHEMA IF NOT EXISTS ")
                .append(schema.quotedName())
                .append(";\n");
        script.append("SET search_path = ").append(schema.quotedName()).append(";\n");
        List<Path> all = new ArrayList<>(List.of(folder.resolve(BEFORE)));
        all.addAll(versioned);
        all.addAll(repeatable);
        for (Path file : all) {
            script.append("\n-- ").append(name(file)).append("\n\n").append(Files.readString(file));
        }
        return script.append("\nCOMMIT;\nRESET search_path;\n").toString();
    }

    /** The folder of the migrations, wherever this class was loaded from: classes and resources, or a jar. */
    private static String withFolder(Reader reader) throws IOException {
        String folder = "/" + SchemaMigrator.FOLDER + "/";
        URL known = Objects.requireNonNull(
                SchemaScript.class.getResource(folder + BEFORE),
                "%s%s is not where this class is".formatted(folder, BEFORE));
        try {
            URI uri = known.toURI();
            if (!"jar".equals(uri.getScheme())) {
                return reader.read(Objects.requireNonNull(Path.of(uri).getParent()));
            }
            try (FileSystem jar = FileSystems.newFileSystem(uri, Map.of())) {
                return reader.read(jar.getPath(folder));
            }
        } catch (URISyntaxException ex) {
            throw new IOException(ex);
        }
    }

    private static String name(Path file) {
        return String.valueOf(file.getFileName());
    }

    /** 12 of {@code V12__name.sql}. */
    private static int version(Path file) {
        return Integer.parseInt(name(file).substring(1, name(file).indexOf("__")));
    }

    /** What Flyway sorts repeatable migrations by. */
    private static String description(Path file) {
        return name(file).substring("R__".length()).replace('_', ' ');
    }

    /** Makes a text of the files in a folder. */
    @FunctionalInterface
    private interface Reader {
        String read(Path folder) throws IOException;
    }
}
