package dev.jobqueue.internal.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

class SchemaScriptIntegrationTests {

    private final TestDatabase byHand = TestDatabase.create();
    private final Schema schema = new Schema("queue");

    @ParameterizedTest
    @ValueSource(strings = {"queue", "My \"Queue\"; it's odd"})
    void makesWhatTheMigratorMakes(String name) throws Exception {
        Schema named = new Schema(name);
        TestDatabase migrated = TestDatabase.create();
        new SchemaMigrator(migrated.dataSource(), named).migrate();

        Catalog.execute(byHand, new SchemaScript(named).text());

        assertThat(Catalog.of(byHand, named))
                .hasSizeGreaterThan(300)
                .containsExactlyElementsOf(Catalog.of(migrated, named));
        assertThat(Catalog.rowsOf(byHand, named)).containsExactlyElementsOf(Catalog.rowsOf(migrated, named));
    }

    @Test
    void bringsFunctionsAndViewsUpToDateWhereTheTablesAreThere() throws Exception {
        Catalog.execute(byHand, new SchemaScript(schema).text());
        List<String> before = Catalog.of(byHand, schema);
        Catalog.execute(
                byHand,
                "CREATE OR REPLACE FUNCTION queue.complete(id uuid, lease bigint, result jsonb DEFAULT NULL)"
                        + " RETURNS void LANGUAGE sql AS ''");
        assertThat(Catalog.of(byHand, schema)).isNotEqualTo(before);

        Catalog.execute(byHand, new SchemaScript(schema).text());

        assertThat(Catalog.of(byHand, schema)).containsExactlyElementsOf(before);
    }

    @Test
    void bringsWhatIsThereToTheNextVersion(@TempDir Path folder) throws Exception {
        Catalog.execute(byHand, new SchemaScript(schema).text());
        SchemaFiles next = next(folder);

        Catalog.execute(byHand, new SchemaScript(schema).text(next));
        Catalog.execute(byHand, new SchemaScript(schema).text(next));

        assertThat(new SchemaMigrator(byHand.dataSource(), schema, next).migrate())
                .as("the migrator takes over, and finds nothing to do")
                .isFalse();
        assertThat(catchThrowable(() -> Catalog.execute(byHand, new SchemaScript(schema).text())))
                .hasMessageContaining("which is newer than");
    }

    @Test
    void takesOverFromTheMigrator(@TempDir Path folder) throws Exception {
        new SchemaMigrator(byHand.dataSource(), schema).migrate();
        SchemaFiles next = next(folder);

        Catalog.execute(byHand, new SchemaScript(schema).text(next));

        new SchemaMigrator(byHand.dataSource(), schema, next).check();
    }

    @Test
    void letsAMigratorThatStartsMeanwhileWaitForIt() throws Exception {
        String script = new SchemaScript(schema).text();
        try (Connection session = byHand.connect();
                Statement statement = session.createStatement()) {
            statement.execute(script.substring(0, script.lastIndexOf("COMMIT;")));
            CompletableFuture<Boolean> migrated =
                    CompletableFuture.supplyAsync(() -> new SchemaMigrator(byHand.dataSource(), schema).migrate());
            awaitASessionThatWaitsForALock();
            statement.execute("COMMIT");
            assertThat(migrated.get(60, TimeUnit.SECONDS)).isFalse();
        }
    }

    /** A session remembers that it has looked for a schema in vain; a pool gives the migrator the same one again. */
    @Test
    void isFoundByAMigratorThatHasLookedInVain() throws Exception {
        SingleConnectionDataSource pool = new SingleConnectionDataSource(byHand.connect(), true);
        try (Connection session = byHand.connect();
                Statement statement = session.createStatement()) {
            statement.execute("BEGIN; " + SchemaScript.lock(schema));
            CompletableFuture<Boolean> migrated =
                    CompletableFuture.supplyAsync(() -> new SchemaMigrator(pool, schema).migrate());
            awaitASessionThatWaitsForALock();
            // little, because a session that is told of much forgets what it remembers
            statement.execute("CREATE SCHEMA " + schema.quotedName() + "; CREATE FUNCTION "
                    + schema.qualified("schema_version()")
                    + " RETURNS TABLE (version int, serves int, fingerprint text)"
                    + " LANGUAGE sql AS 'SELECT 1000, 1, NULL::text'; COMMIT");
            assertThat(migrated.get(60, TimeUnit.SECONDS)).isFalse();
        } finally {
            pool.destroy();
        }
    }

    private void awaitASessionThatWaitsForALock() {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !Catalog.texts(
                                byHand,
                                "SELECT pid::text FROM pg_stat_activity WHERE datname = current_database()"
                                        + " AND wait_event_type = 'Lock'")
                        .isEmpty());
    }

    /** The files of this code, and one more version. */
    private static SchemaFiles next(Path folder) throws Exception {
        Path files = Path.of(SchemaScript.class
                        .getResource("/dev/jobqueue/schema/V1__jobs.sql")
                        .toURI())
                .getParent();
        try (Stream<Path> all = Files.walk(files)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                Files.copy(file, folder.resolve(file.getFileName().toString()));
            }
        }
        int version = SchemaFiles.ofThisCode().version() + 1;
        Files.writeString(
                folder.resolve("V" + version + "__next.sql"),
                "ALTER TABLE job ADD COLUMN next int;\nCREATE TABLE next (id int);\n");
        return SchemaFiles.in(folder);
    }

    @Test
    void endsWithTheVersionThatIsThere() throws Exception {
        String script = new SchemaScript(schema).text();
        String last = script.substring(script.lastIndexOf("SELECT format("), script.lastIndexOf("COMMIT;"));
        Catalog.execute(byHand, script);

        try (Connection session = byHand.connect();
                Statement statement = session.createStatement()) {
            statement.execute("SET search_path = queue");
            ResultSet told = statement.executeQuery(last);
            told.next();
            assertThat(told.getString(1))
                    .isEqualTo("The job queue in schema queue has version "
                            + SchemaFiles.ofThisCode().version());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "file:/home/me/.m2/repository/dev/jobqueue/queue-core/1.2.3/queue-core-1.2.3.jar, queue-core-1.2.3.jar",
        "jar:nested:/srv/app.jar/!BOOT-INF/lib/queue-core-2.0-SNAPSHOT.jar!/, queue-core-2.0-SNAPSHOT.jar",
        "file:/shop/queue-core/target/classes/, queue-core-VERSION.jar"
    })
    void namesTheJarItCameFrom(String location, String jar) {
        assertThat(SchemaScript.jar(location)).isEqualTo(jar);
    }

    @Test
    void changesNothingWhenItFails() throws Exception {
        String broken = new SchemaScript(schema).text().replace("\nCOMMIT;", "\nSELECT 1 / 0;\nCOMMIT;");
        assertThat(catchThrowable(() -> Catalog.execute(byHand, broken))).isInstanceOf(SQLException.class);

        assertThat(Catalog.of(byHand, new Schema("queue"))).isEmpty();
    }

    @Test
    void comesOutOfTheJarAlone(@TempDir Path folder) throws Exception {
        Path jar = jar(folder.resolve("queue-core.jar"));

        assertThat(run(jar, 0, "orders")).isEqualTo(new SchemaScript(new Schema("orders")).text());
        assertThat(run(jar, 0)).isEqualTo(new SchemaScript(schema).text());
        assertThat(run(jar, 0, "--help")).startsWith("Usage:").doesNotContain("CREATE");
        assertThat(run(jar, 0, "--roles")).contains("queue_worker", "COMMIT;");
        assertThat(run(jar, 2, "--frob")).contains("'--frob' is no option", "Usage:");
        assertThat(run(jar, 2, "queue", "four")).contains("one is enough", "Usage:");
        assertThat(run(jar, 2, "")).contains("Usage:");
    }

    private static String run(Path jar, int exit, String... arguments) throws Exception {
        List<String> command = Stream.concat(
                        Stream.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-jar",
                                jar.toString()),
                        Stream.of(arguments))
                .toList();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(printed).isEqualTo(exit);
        return printed;
    }

    /** As the build makes it: the classes and resources of this module, and which of them to start. */
    private static Path jar(Path jar) throws Exception {
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, SchemaScript.class.getName());
        Set<Path> roots = new TreeSet<>();
        roots.add(root("/dev/jobqueue/internal/migrate/SchemaScript.class"));
        roots.add(root("/dev/jobqueue/schema/V1__jobs.sql"));
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (Path root : roots) {
                try (Stream<Path> files = Files.walk(root.resolve("dev"))) {
                    files.filter(Files::isRegularFile).forEach(file -> add(out, root, file));
                }
            }
        }
        return jar;
    }

    private static Path root(String resource) throws Exception {
        URL url = SchemaScript.class.getResource(resource);
        Path root = Path.of(url.toURI());
        for (int i = 0; i < Path.of(resource).getNameCount(); i++) {
            root = root.getParent();
        }
        return root;
    }

    private static void add(JarOutputStream out, Path root, Path file) {
        try {
            out.putNextEntry(new JarEntry(root.relativize(file).toString().replace('\\', '/')));
            Files.copy(file, out);
            out.closeEntry();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
    }
}
