package dev.jobqueue.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.jobqueue.internal.store.Schema;
import dev.jobqueue.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaMigratorIntegrationTests {

    private static final Schema QUEUE = new Schema("queue");

    private final TestDatabase database = TestDatabase.create();

    @Nested
    class OnAnEmptyDatabase {

        @ParameterizedTest
        @ValueSource(strings = {"queue", "My Queue", "it's \"quoted\"", "schlange_ü"})
        void makesAQueueThatWorks(String name) throws SQLException {
            Schema schema = new Schema(name);
            assertThat(migrate(schema)).isGreaterThan(40);

            assertThat(publishClaimAndComplete(schema)).isEqualTo(1);
            assertThat(Catalog.texts(database, "SELECT nspname FROM pg_namespace WHERE nspname = ?", name))
                    .hasSize(1);
            assertThat(Catalog.of(database, new Schema("public"))).isEmpty();
        }

        @Test
        void keepsItsOwnHistoryTable() throws SQLException {
            migrate(QUEUE);

            assertThat(
                            Catalog.texts(
                                    database,
                                    "SELECT DISTINCT schemaname || '.' || tablename FROM pg_tables WHERE tablename LIKE '%history'"))
                    .containsExactlyInAnyOrder("queue.job_history", "queue.queue_schema_history");
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

            assertThat(migrate(QUEUE)).isZero();

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

            String location = "filesystem:" + folder;
            assertThat(new SchemaMigrator(database.dataSource(), QUEUE, location).migrate())
                    .isEqualTo(1);

            List<String> after = Catalog.of(database, QUEUE);
            assertThat(after)
                    .filteredOn(entry -> !before.contains(entry))
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

            new SchemaMigrator(database.dataSource(), QUEUE, "filesystem:" + folder).migrate();

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
            SchemaMigrator migrator = new SchemaMigrator(database.dataSource(), QUEUE, "filesystem:" + folder);

            assertThatExceptionOfType(FlywayException.class).isThrownBy(migrator::migrate);

            assertThat(Catalog.of(database, QUEUE)).isEqualTo(before);
            assertThat(migrate(QUEUE)).isZero();
        }

        @Test
        void refusesToStartWithoutItsFiles(@TempDir Path folder) {
            SchemaMigrator migrator =
                    new SchemaMigrator(database.dataSource(), QUEUE, "filesystem:" + folder.resolve("nothing"));

            assertThatExceptionOfType(FlywayException.class).isThrownBy(migrator::migrate);
        }

        @Test
        void worksInASchemaThatHoldsOtherThings() throws SQLException {
            Catalog.execute(database, "CREATE TABLE public.orders (id int)");

            migrate(new Schema("public"));

            assertThat(publishClaimAndComplete(new Schema("public"))).isEqualTo(1);
        }
    }

    @Nested
    class BesideTheApplication {

        @Test
        void leavesTheApplicationsFlywayAlone(@TempDir Path folder) throws Exception {
            Files.writeString(folder.resolve("V1__orders.sql"), "CREATE TABLE orders (id int);");
            Flyway application = application(folder);
            assertThat(application.migrate().migrationsExecuted).isEqualTo(1);

            assertThat(migrate(QUEUE)).isPositive();

            application.validate();
            Files.writeString(folder.resolve("V2__items.sql"), "CREATE TABLE items (id int);");
            assertThat(application(folder).migrate().migrationsExecuted).isEqualTo(1);
            assertThat(migrate(QUEUE)).isZero();
        }

        @Test
        void comesFirstIfItMust(@TempDir Path folder) throws Exception {
            migrate(QUEUE);
            Files.writeString(
                    folder.resolve("V1__orders.sql"),
                    "CREATE TABLE orders (id int); SELECT queue.publish('order.import', '{}');");

            assertThat(application(folder).migrate().migrationsExecuted).isEqualTo(1);

            assertThat(Catalog.texts(database, "SELECT type FROM queue.job")).containsExactly("order.import");
        }

        private Flyway application(Path folder) {
            return Flyway.configure()
                    .dataSource(database.dataSource())
                    .locations("filesystem:" + folder)
                    .load();
        }
    }

    @Nested
    class WhenNodesStartTogether {

        @Test
        void migratesOnce() throws Exception {
            List<Integer> executed = migrateAtOnce(6);

            assertThat(executed).filteredOn(count -> count > 0).hasSize(1);
            assertThat(publishClaimAndComplete(QUEUE)).isEqualTo(1);
            assertThat(Catalog.texts(database, "SELECT count(*) FROM queue.queue_schema_history WHERE NOT success"))
                    .containsExactly("0");
        }

        private List<Integer> migrateAtOnce(int nodes) throws Exception {
            CyclicBarrier start = new CyclicBarrier(nodes);
            ExecutorService threads = Executors.newFixedThreadPool(nodes);
            try {
                List<Future<Integer>> futures = new ArrayList<>();
                for (int i = 0; i < nodes; i++) {
                    SchemaMigrator migrator = new SchemaMigrator(database.dataSource(), QUEUE);
                    futures.add(threads.submit(() -> {
                        start.await(60, TimeUnit.SECONDS);
                        return migrator.migrate();
                    }));
                }
                List<Integer> executed = new ArrayList<>();
                for (Future<Integer> future : futures) {
                    executed.add(future.get(60, TimeUnit.SECONDS));
                }
                return executed;
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private int migrate(Schema schema) {
        return new SchemaMigrator(database.dataSource(), schema).migrate();
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
                .getResource("/" + SchemaMigrator.FOLDER + "/beforeEachMigrate.sql")
                .toURI());
        try (Stream<Path> files = Files.list(known.getParent())) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                copy(file, target);
            }
        }
    }

    private static void copy(Path file, Path target) throws IOException {
        Files.copy(file, target.resolve(file.getFileName().toString()));
    }
}
