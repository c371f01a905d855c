package dev.jobqueue.internal.schema;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.schema.SchemaFiles.File;
import dev.jobqueue.internal.store.Schema;
import java.nio.charset.StandardCharsets;

/**
 * All that {@link SchemaMigrator} would do, as one script for people who run such things themselves. Needs nothing but
 * this jar: {@code java -jar queue-core.jar [schema [version]]}.
 */
public final class SchemaScript {

    private static final String DEFAULT_SCHEMA = "queue";

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

    public static void main(String[] arguments) {
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
        byte[] bytes = script.getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
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

    String text() {
        StringBuilder script = new StringBuilder("BEGIN;\n\n");
        script.append(createSchema(schema)).append(";\n");
        script.append(pinSearchPath(schema)).append(";\n");
        for (File file : SchemaFiles.ofThisCode().after(version)) {
            script.append("\n-- ").append(file.name()).append("\n\n").append(file.text());
        }
        return script.append("\nCOMMIT;\n").toString();
    }

    static String createSchema(Schema schema) {
        return "CREATE SCHEMA IF NOT EXISTS " + schema.quotedName();
    }

    /**
     * Lets no file name the schema, and makes SET search_path FROM CURRENT exact. LOCAL, because the session may be shared:
     * behind a pooler the next transaction is somebody else's. With pg_temp last, because it is searched first where it is
     * not named, and a temporary table of a caller could shadow one of ours.
     */
    static String pinSearchPath(Schema schema) {
        return "SET LOCAL search_path = " + schema.quotedName() + ", pg_temp";
    }
}
