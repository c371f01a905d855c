package dev.jobqueue.internal.migrate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.internal.db.Sql;
import dev.jobqueue.internal.publish.NewJobs;
import dev.jobqueue.internal.publish.PublishCalls;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

class SchemaMigratorIntegrationTests {

    private static final Schema QUEUE = new Schema("queue");

    private final TestDatabase database = TestDatabase.create();

    @Nested
    class OnAnEmptyDatabase {

        @ParameterizedTest
        @ValueSource(strings = {"queue", "My Queue", "it's \"quoted\"", "schlange_ü"})
        void makesAQueueThatWorks(String name) throws SQLException {
            Schema schema = new Schema(name);
            assertThat(migrate(schema)).isTrue();

            assertThat(publishClaimAndComplete(schema)).isEqualTo(1);
            assertThat(Catalog.texts(database, "SELECT nspname FROM pg_namespace WHERE nspname = ?", name))
                    .hasSize(1);
            assertThat(Catalog.of(database, new Schema("public"))).isEmpty();
        }

        /** The functions must not read the escapes of their literals in another way than they are meant. */
        @ParameterizedTest
        @ValueSource(strings = {"standard_conforming_strings=off", "default_transaction_read_only=on"})
        void makesAQueueThatWorksForARoleWithSettingsOfItsOwn(String setting) throws SQLException {
            PGSimpleDataSource pool = (PGSimpleDataSource) database.dataSource();
            pool.setOptions("-c " + setting);
            new SchemaMigrator(pool, QUEUE).migrate();

            PublishCalls calls = new PublishCalls(Sql.apart(pool, QUEUE));
            String payload = "{\"path\": \"c:\\\\users\\\\sms\"}";
            calls.publish(List.of(NewJobs.of(UUID.randomUUID(), "sms", payload)), false);
            assertThat(Catalog.texts(database, "SELECT type || payload FROM queue.job"))
                    .containsExactly("sms" + payload);
        }

        @Test
        void pinsTheSearchPathOfEveryFunction() throws SQLException {
            migrate(new Schema("My Queue"));

            assertThat(Catalog.texts(
                            database,
                            "SELECT p.proname FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
                                    + " WHERE n.nspname = 'My Queue'"
                                    + " AND NOT 'search_path=\"My Queue\", pg_temp' = ANY (coalesce(proconfig, '{}'))"))
                    .isEmpty();
        }

        @Test
        void keepsTwoQueuesInTwoSchemasApart() throws SQLException {
            migrate(new Schema("first"));
            migrate(new Schema("second"));

            publishClaimAndComplete(new Schema("first"));

            assertThat(Catalog.texts(database, "SELECT count(*) FROM first.job_history"))
                    .containsExactly("1");
            assertThat(Catalog.texts(database, "SELECT count(*) FROM second.job_history"))
                    .containsExactly("0");
        }
    }

    @Nested
    class OnADatabaseInUse {

        @Test
        void changesNothingTheSecondTime() throws SQLException {
            migrate(QUEUE);
            publishClaimAndComplete(QUEUE);
            List<String> before = Catalog.of(database, QUEUE);

            assertThat(migrate(QUEUE)).isFalse();

            assertThat(Catalog.of(database, QUEUE)).isEqualTo(before);
            assertThat(Catalog.texts(database, "SELECT count(*) FROM queue.job_history"))
                    .containsExactly("1");
        }

        @Test
        void appliesAChangedFunctionAgain(@TempDir Path folder) throws Exception {
            migrate(QUEUE);
            List<String> before = Catalog.of(database, QUEUE);
            copyMigrations(folder);
            Path complete = folder.resolve("R__complete.sql");
            Files.writeString(complete, Files.readString(complete).replace("BEGIN\n", "BEGIN\n    -- changed\n"));

            List<String> lines =
                    logged(() -> assertThat(migrator(folder).migrate()).isTrue());

            assertThat(lines)
                    .containsExactly("Queue schema 'queue' at version %d, its functions were replaced"
                            .formatted(SchemaFiles.ofThisCode().version()));
            List<String> after = Catalog.of(database, QUEUE);
            assertThat(after)
                    .filteredOn(entry -> !before.contains(entry))
                    .filteredOn(entry -> !entry.startsWith("function schema_version("))
                    .singleElement()
                    .satisfies(entry -> assertThat(entry)
                            .startsWith("function complete(")
                            .contains("-- changed")
                            .contains("SET search_path TO 'queue', 'pg_temp'"));
            assertThat(publishClaimAndComplete(QUEUE)).isEqualTo(1);
        }

        @Test
        void addsANewVersion(@TempDir Path folder) throws Exception {
            migrate(QUEUE);
            copyMigrations(folder);
            Files.writeString(folder.resolve("V1000__more.sql"), "CREATE TABLE more (id int);");

            migrator(folder).migrate();

            assertThat(Catalog.texts(database, "SELECT to_regclass('queue.more') IS NOT NULL"))
                    .containsExactly("t");
        }

        @Test
        void changesNothingWhenOneFileFails(@TempDir Path folder) throws Exception {
            migrate(QUEUE);
            List<String> before = Catalog.of(database, QUEUE);
            copyMigrations(folder);
            Files.writeString(folder.resolve("V1000__more.sql"), "CREATE TABLE more (id int);");
            Files.writeString(folder.resolve("V1001__broken.sql"), "SELECT 1 / 0;");
            SchemaMigrator migrator = migrator(folder);

            assertThatExceptionOfType(SchemaException.class).isThrownBy(migrator::migrate);

            assertThat(Catalog.of(database, QUEUE)).isEqualTo(before);
            assertThat(migrate(QUEUE)).isFalse();
        }

        @Test
        void refusesToStartWithoutItsFiles(@TempDir Path folder) {
            assertThatExceptionOfType(IllegalStateException.class)
                    .isThrownBy(() -> migrator(folder))
                    .withMessageContaining("The files of the schema are missing");
        }

        @Test
        void worksInASchemaThatHoldsOtherThings() throws SQLException {
            Catalog.execute(database, "CREATE TABLE public.orders (id int)");

            migrate(new Schema("public"));

            assertThat(publishClaimAndComplete(new Schema("public"))).isEqualTo(1);
        }
    }

    @Nested
    class ComparesVersions {

        private static final Schema PUBLIC = new Schema("public");

        @Test
        void andStartsWithTheSchemaItWasBuiltFor() {
            migrate(QUEUE);

            assertThatNoException().isThrownBy(new SchemaMigrator(database.dataSource(), QUEUE)::check);
        }

        @Test
        void andRefusesASchemaWithoutTheQueue() {
            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(new SchemaMigrator(database.dataSource(), PUBLIC)::check)
                    .withMessageContaining("The schema 'public' is without the queue")
                    .satisfies(ex -> assertThat(ex.action())
                            .contains("`java -jar queue-core-VERSION.jar 'public'`", "queue.schema.migrate=true"));
        }

        @Test
        void andRefusesAnOlderSchemaWithTheCommandToRun(@TempDir Path folder) throws Exception {
            migrate(QUEUE);
            copyMigrations(folder);
            Files.writeString(folder.resolve("V1000__more.sql"), "CREATE TABLE more (id int);");
            int version = SchemaFiles.ofThisCode().version();

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(migrator(folder)::check)
                    .withMessageContaining("has version %d, this node needs version 1000".formatted(version))
                    .satisfies(ex -> assertThat(ex.action()).contains("`java -jar queue-core-VERSION.jar 'queue'`"));
        }

        @Test
        void andRefusesOtherFunctionsOfTheSameVersion(@TempDir Path folder) throws Exception {
            migrate(QUEUE);
            copyMigrations(folder);
            change(folder.resolve("R__complete.sql"), "BEGIN\n", "BEGIN\n    -- changed\n");

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(migrator(folder)::check)
                    .withMessageContaining("but other functions");
        }

        @Test
        void andRefusesANewerSchemaThatDoesNotServeIt(@TempDir Path folder) throws Exception {
            copyMigrations(folder);
            Files.writeString(folder.resolve("V1000__more.sql"), "CREATE TABLE more (id int);");
            change(folder.resolve("R__schema_version.sql"), "SELECT ${version}, 6", "SELECT ${version}, 1000");
            migrator(folder).migrate();
            SchemaMigrator older = new SchemaMigrator(database.dataSource(), QUEUE);

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(older::check)
                    .withMessageContaining("has version 1000, which serves nodes of version 1000 and newer");
            assertThatExceptionOfType(SchemaException.class).isThrownBy(older::migrate);
        }

        @Test
        void andLeavesANewerSchemaThatServesItAsItIs(@TempDir Path folder) throws Exception {
            copyMigrations(folder);
            Files.writeString(folder.resolve("V1000__more.sql"), "CREATE TABLE more (id int);");
            change(folder.resolve("R__complete.sql"), "BEGIN\n", "BEGIN\n    -- newer\n");
            migrator(folder).migrate();
            List<String> before = Catalog.of(database, QUEUE);

            assertThat(migrate(QUEUE)).isFalse();

            assertThat(Catalog.of(database, QUEUE)).isEqualTo(before);
        }

        @Test
        void andTellsWhatTheDatabaseSaidWhenItCannotMigrate() throws SQLException {
            Catalog.execute(database, "CREATE TABLE public.job (id int)");

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> migrate(PUBLIC))
                    .withMessageContaining("cannot be brought from version 0 to")
                    .withMessageContaining("(V1__jobs.sql): ERROR: relation \"job\" already exists")
                    .withMessageContaining("Nothing was changed");
        }

        @Test
        void andSpeaksOfNoOtherVersionWhereOnlyFunctionsWouldBeReplaced() throws SQLException {
            migrate(QUEUE);
            Catalog.execute(
                    database,
                    "CREATE OR REPLACE FUNCTION queue.schema_version()"
                            + " RETURNS TABLE (version int, serves int, fingerprint text) LANGUAGE sql"
                            + " AS $$ SELECT %d, 1, 'other' $$"
                                    .formatted(SchemaFiles.ofThisCode().version()));
            Catalog.execute(database, "ALTER TABLE queue.ready RENAME TO of_a_snapshot");

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(() -> migrate(QUEUE))
                    .withMessageContaining("cannot have its functions of version")
                    .satisfies(ex -> assertThat(ex.action()).contains("drop it, with its jobs"));
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void andTellsARoleWithoutRightsWhatItNeeds(boolean migrate) throws SQLException {
            migrate(QUEUE);
            String stranger = "stranger_" + Long.toHexString(System.nanoTime());
            Catalog.execute(database, "CREATE ROLE " + stranger + " LOGIN PASSWORD 'secret'");
            try {
                TestDatabase asStranger = new TestDatabase(database.jdbcUrl(), stranger, "secret");
                SchemaMigrator migrator = new SchemaMigrator(asStranger.dataSource(), QUEUE);

                assertThatExceptionOfType(SchemaException.class)
                        .isThrownBy(migrate ? migrator::migrate : migrator::check)
                        .withMessageContaining(
                                "The role '" + stranger + "' of this node may not use the schema 'queue'")
                        .satisfies(ex -> assertThat(ex.action())
                                .contains("--roles", "GRANT queue_worker TO " + stranger + ";", "A superuser runs it"));
            } finally {
                Catalog.execute(database, "DROP ROLE " + stranger);
            }
        }

        private static void change(Path file, String text, String replacement) throws IOException {
            String before = Files.readString(file);
            assertThat(before).contains(text);
            Files.writeString(file, before.replace(text, replacement));
        }
    }

    @Nested
    class WhenNodesStartTogether {

        @Test
        void migratesOnce() throws Exception {
            List<Boolean> executed = migrateAtOnce(6);

            assertThat(executed).containsOnlyOnce(true);
            assertThat(publishClaimAndComplete(QUEUE)).isEqualTo(1);
        }

        private List<Boolean> migrateAtOnce(int nodes) throws Exception {
            CyclicBarrier start = new CyclicBarrier(nodes);
            ExecutorService threads = Executors.newFixedThreadPool(nodes);
            try {
                List<Future<Boolean>> futures = new ArrayList<>();
                for (int i = 0; i < nodes; i++) {
                    SchemaMigrator migrator = new SchemaMigrator(database.dataSource(), QUEUE);
                    futures.add(threads.submit(() -> {
                        start.await(60, TimeUnit.SECONDS);
                        return migrator.migrate();
                    }));
                }
                List<Boolean> executed = new ArrayList<>();
                for (Future<Boolean> future : futures) {
                    executed.add(future.get(60, TimeUnit.SECONDS));
                }
                return executed;
            } finally {
                threads.shutdownNow();
            }
        }
    }

    @Nested
    class WithoutADatabase {

        @Test
        void tellsWhatTheDriverSaid() throws IOException {
            int port;
            try (ServerSocket free = new ServerSocket(0)) {
                port = free.getLocalPort();
            }
            TestDatabase nobody = new TestDatabase("jdbc:postgresql://localhost:" + port + "/shop", "app", "secret");

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(new SchemaMigrator(nobody.dataSource(), QUEUE)::migrate)
                    .withMessageStartingWith("There is no connection to the database of the queue: ")
                    .withMessageContaining("localhost:" + port)
                    .satisfies(ex -> assertThat(ex.action()).contains("spring.datasource.url"));
        }

        @Test
        void tellsThatALoginIsRefused() {
            TestDatabase stranger = new TestDatabase(database.jdbcUrl(), "nobody_at_all", "secret");

            assertThatExceptionOfType(SchemaException.class)
                    .isThrownBy(new SchemaMigrator(stranger.dataSource(), QUEUE)::check)
                    .withMessageContaining("nobody_at_all");
        }
    }

    /** What the migrator logs on this thread. */
    private static List<String> logged(Runnable action) {
        Logger logger = (Logger) LoggerFactory.getLogger(SchemaMigrator.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            action.run();
        } finally {
            logger.detachAppender(lines);
        }
        String thread = Thread.currentThread().getName();
        return lines.list.stream()
                .filter(line -> line.getThreadName().equals(thread))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    private boolean migrate(Schema schema) {
        return new SchemaMigrator(database.dataSource(), schema).migrate();
    }

    private SchemaMigrator migrator(Path folder) {
        return new SchemaMigrator(database.dataSource(), QUEUE, SchemaFiles.in(folder));
    }

    /** How many jobs ended in the history. */
    private int publishClaimAndComplete(Schema schema) throws SQLException {
        String queue = schema.quotedName() + ".";
        Catalog.execute(database, "SELECT " + queue + "publish('test', '{}')");
        Catalog.execute(database, "SELECT " + queue + "complete(id, lease) FROM " + queue + "claim(gen_random_uuid())");
        return Integer.parseInt(Catalog.texts(database, "SELECT count(*) FROM " + queue + "job_history")
                .get(0));
    }

    private static void copyMigrations(Path target) throws Exception {
        Path known = Path.of(SchemaMigrator.class
                .getResource("/dev/jobqueue/schema/V1__jobs.sql")
                .toURI());
        try (Stream<Path> files = Files.walk(known.getParent())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                copy(file, target);
            }
        }
    }

    private static void copy(Path file, Path target) throws IOException {
        Files.copy(file, target.resolve(file.getFileName().toString()));
    }
}
