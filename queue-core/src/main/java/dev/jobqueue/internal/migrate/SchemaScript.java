package dev.jobqueue.internal.migrate;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.migrate.SchemaFiles.File;
import java.nio.charset.StandardCharsets;
import java.security.CodeSource;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Prints what {@link SchemaMigrator} would do as one script, for people who run migrations themselves. It installs the
 * queue or updates any older version, and may be run again. Needs nothing but this jar: {@code java -jar queue-core.jar
 * [schema]}.
 */
public final class SchemaScript {

    private static final String DEFAULT_SCHEMA = "queue";

    private static final String USAGE = """
            Usage: java -jar queue-core.jar [schema]
                   java -jar queue-core.jar --roles

            The first prints a script for psql that installs the job queue in the schema (default: %s), or brings an
            older one there up to date. It is one transaction, and running it again changes nothing. The role that runs
            it owns the queue.

            The second prints a script that makes roles for everybody else: queue_publisher, queue_worker, queue_viewer,
            queue_operator. GRANT one of them to the role of your application. For another schema than "queue", run it
            with psql -v schema=name.
            """.formatted(DEFAULT_SCHEMA);

    /** Notes the version that is there for the parts below, which are left out if it has them already. */
    private static final String FIND_VERSION = """
            DO $$
            DECLARE
                found int := 0;
            BEGIN
                IF to_regprocedure('schema_version()') IS NOT NULL THEN
                    SELECT version INTO found FROM schema_version();
                END IF;
                IF found > %1$d THEN
                    RAISE EXCEPTION 'the schema has version %%, which is newer than %1$d of this script', found
                        USING HINT = 'Print the script with a queue-core that is as new as the schema.';
                END IF;
                PERFORM set_config('jobqueue.found_version', found::text, true);
            END
            $$;
            """;

    private static final String UNLESS_THERE = """
            DO $do$
            BEGIN
                IF current_setting('jobqueue.found_version')::int < %1$d THEN
                    EXECUTE $V%1$d$
            %2$s$V%1$d$;
                END IF;
            END
            $do$;
            """;

    /** The last thing that psql shows: whoever ran it sees what is there now. */
    private static final String TELL = """
            SELECT format('The job queue in schema %I has version %s', current_schema(), version) AS installed
            FROM schema_version();
            """;

    private static final Pattern JAR = Pattern.compile("queue-core[^/\\\\!]*\\.jar");

    private final Schema schema;

    SchemaScript(Schema schema) {
        this.schema = schema;
    }

    public static void main(String[] arguments) {
        if (arguments.length == 1 && (arguments[0].equals("--help") || arguments[0].equals("-h"))) {
            print(USAGE);
            return;
        }
        if (arguments.length == 1 && arguments[0].equals("--roles")) {
            print(SchemaFiles.roles());
            return;
        }
        try {
            print(parse(arguments).text());
        } catch (InvalidJobException ex) {
            System.err.println(ex.getMessage() + "\n" + USAGE);
            System.exit(2);
        }
    }

    private static SchemaScript parse(String... arguments) {
        if (arguments.length > 1) {
            throw new InvalidJobException("There are %d arguments, and one is enough.".formatted(arguments.length));
        }
        String name = arguments.length == 0 ? DEFAULT_SCHEMA : arguments[0];
        if (name.startsWith("-")) {
            throw new InvalidJobException("'%s' is no option.".formatted(name));
        }
        return new SchemaScript(new Schema(name));
    }

    private static void print(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.out.write(bytes, 0, bytes.length);
        System.out.flush();
    }

    String text() {
        return text(SchemaFiles.ofThisCode());
    }

    String text(SchemaFiles files) {
        StringBuilder script = new StringBuilder("BEGIN;\n\n");
        script.append(lock(schema)).append(";\n");
        script.append(createSchema(schema)).append(";\n");
        script.append(pinSearchPath(schema)).append(";\n\n");
        script.append(FIND_VERSION.formatted(files.version()));
        for (File file : files.after(0)) {
            script.append("\n-- ").append(file.name()).append("\n\n");
            script.append(file.isVersion() ? UNLESS_THERE.formatted(file.version(), file.text()) : file.text());
        }
        // within the transaction, because the search path ends with it
        return script.append("\n").append(TELL).append("\nCOMMIT;\n").toString();
    }

    /** The jar that prints the scripts: this one. */
    static String jar() {
        CodeSource source = SchemaScript.class.getProtectionDomain().getCodeSource();
        return jar(source == null ? "" : String.valueOf(source.getLocation()));
    }

    static String jar(String location) {
        return JAR.matcher(location)
                .results()
                .map(MatchResult::group)
                .reduce((first, last) -> last)
                .orElse("queue-core-VERSION.jar");
    }

    static String howToMakeRoles() {
        return ("The script that `java -jar %s --roles` prints makes these roles, or grants them what is new."
                        + " A superuser runs it, or the owner of the schema with CREATEROLE.")
                .formatted(jar());
    }

    /** One at a time, whoever migrates: until the end of the transaction. As a block, or psql would show a result. */
    static String lock(Schema schema) {
        return "DO $lock$ BEGIN PERFORM pg_advisory_xact_lock(hashtextextended('jobqueue schema %s', 0)); END $lock$"
                .formatted(schema.name().replace("'", "''"));
    }

    /** Not {@code IF NOT EXISTS}, which needs the right to create schemas even where there is nothing to create. */
    static String createSchema(Schema schema) {
        return "DO $$ BEGIN IF to_regnamespace('%s') IS NULL THEN CREATE SCHEMA %s; END IF; END $$"
                .formatted(schema.quotedName().replace("'", "''"), schema.quotedName());
    }

    /**
     * Lets no file name the schema, and makes SET search_path FROM CURRENT exact. LOCAL, because the session may be
     * shared: behind a pooler the next transaction is somebody else's. With pg_temp last, because it is searched first
     * where it is not named, and a temporary table of a caller could shadow one of ours.
     */
    static String pinSearchPath(Schema schema) {
        return "SET LOCAL search_path = " + schema.quotedName() + ", pg_temp";
    }
}
