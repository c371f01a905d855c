package dev.jobqueue.test.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.jobqueue.JobPublisher;
import dev.jobqueue.autoconfigure.QueueAutoConfiguration;
import dev.jobqueue.postgres.TestDatabase;
import dev.jobqueue.test.AutoConfigureJobTest;
import dev.jobqueue.test.JobTester;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcClientAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The tests run the SQL of production: it differs by where it finds the clock, and by nothing else. */
class TestClockIntegrationTests {

    private static final Set<String> CLOCKS =
            Set.of("clock_timestamp()", "statement_timestamp()", "transaction_timestamp()", "now()");

    private static ApplicationContextRunner node(TestDatabase database) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class,
                        JdbcClientAutoConfiguration.class,
                        QueueAutoConfiguration.class))
                .withUserConfiguration(Orders.class, Mailer.class, ShopHandlers.class)
                .withPropertyValues(
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password(),
                        "queue.worker.enabled=false");
    }

    private static ApplicationContextRunner tested(TestDatabase database) {
        return node(database).withUserConfiguration(Tested.class);
    }

    @AutoConfigureJobTest
    static class Tested {}

    @Test
    void leavesTheTextOfEveryFunctionAsItIs() {
        TestDatabase production = TestDatabase.create();
        TestDatabase test = TestDatabase.create();
        node(production).run(context -> assertThat(context).hasNotFailed());
        tested(test).run(context -> assertThat(context).hasNotFailed());

        Map<String, String> expected = functions(production);
        Map<String, String> found = functions(test);
        assertThat(found.keySet()).containsAll(CLOCKS);
        found.keySet().removeAll(CLOCKS);
        assertThat(found).hasSizeGreaterThan(90).isEqualTo(expected);

        assertThat(searchPaths(production)).containsOnly("search_path=queue, pg_temp");
        assertThat(searchPaths(test)).containsOnly("search_path=queue, pg_catalog, pg_temp");
    }

    @Test
    void changesNothingInViewsButTheClock() {
        TestDatabase production = TestDatabase.create();
        TestDatabase test = TestDatabase.create();
        node(production).run(context -> assertThat(context).hasNotFailed());
        tested(test).run(context -> assertThat(context).hasNotFailed());

        Map<String, String> found = views(test);
        assertThat(found.values()).anyMatch(view -> view.contains("queue.statement_timestamp()"));
        found.replaceAll((name, view) -> view.replace("queue.statement_timestamp()", "statement_timestamp()"));
        assertThat(found).isEqualTo(views(production));
    }

    @Test
    void changesNothingInDefaultsButTheClock() {
        TestDatabase production = TestDatabase.create();
        TestDatabase test = TestDatabase.create();
        node(production).run(context -> assertThat(context).hasNotFailed());
        tested(test).run(context -> assertThat(context).hasNotFailed());

        Map<String, String> found = defaults(test);
        assertThat(found.values()).contains("queue.clock_timestamp()");
        found.replaceAll((name, value) -> value.replace("queue.clock_timestamp()", "clock_timestamp()"));
        assertThat(found).isEqualTo(defaults(production));
    }

    @Test
    void changesNothingElseInTheSchema() {
        TestDatabase production = TestDatabase.create();
        TestDatabase test = TestDatabase.create();
        node(production).run(context -> assertThat(context).hasNotFailed());
        tested(test).run(context -> assertThat(context).hasNotFailed());

        Map<String, String> found = everythingElse(test);
        assertThat(found.keySet()).containsAll(CLOCKS);
        found.keySet().removeAll(CLOCKS);
        assertThat(found).hasSizeGreaterThan(300).isEqualTo(everythingElse(production));
    }

    /** The functions of tests look for names in the queue's schema first, those of production in pg_catalog. */
    @Test
    void isAllThatHidesANameOfPostgreSql() {
        TestDatabase test = TestDatabase.create();
        tested(test).run(context -> assertThat(context).hasNotFailed());
        Map<String, String> hiding = map(test, """
                SELECT p.proname AS name, '' AS value FROM pg_proc p
                WHERE p.pronamespace = 'queue'::regnamespace AND EXISTS (SELECT FROM pg_proc c
                    WHERE c.pronamespace = 'pg_catalog'::regnamespace AND c.proname = p.proname
                        AND c.proargtypes = p.proargtypes)
                UNION SELECT t.typname, '' FROM pg_type t
                WHERE t.typnamespace = 'queue'::regnamespace AND EXISTS (SELECT FROM pg_type c
                    WHERE c.typnamespace = 'pg_catalog'::regnamespace AND c.typname = t.typname)
                UNION SELECT r.relname, '' FROM pg_class r
                WHERE r.relnamespace = 'queue'::regnamespace AND EXISTS (SELECT FROM pg_class c
                    WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relname = r.relname)
                UNION SELECT o.oprname, '' FROM pg_operator o WHERE o.oprnamespace = 'queue'::regnamespace""");
        // where the server has a uuidv7 of its own (PostgreSQL 18), that of the queue calls it
        assertThat(hiding.keySet()).containsAll(ClockEscapes.CLOCKS).isSubsetOf(with(ClockEscapes.CLOCKS, "uuidv7"));
    }

    @Test
    void isSeenByEverythingThatReadsATime() {
        TestDatabase test = TestDatabase.create();
        node(test).run(context -> execute(test, """
                CREATE FUNCTION queue.commented() RETURNS timestamptz LANGUAGE sql SET search_path = queue, pg_temp
                    AS $$ SELECT now() -- CURRENT_TIMESTAMP would be another one
                    $$;
                CREATE VIEW queue.view AS SELECT now() AS at, transaction_timestamp() AS begun;
                ALTER TABLE queue.job_step ADD odd timestamptz DEFAULT now() + interval '1 day'"""));
        tested(test).run(context -> assertThat(ClockEscapes.of(test)).isEmpty());
    }

    @Test
    void isMissedByNothingUnnoticed() {
        TestDatabase test = TestDatabase.create();
        node(test).run(context -> execute(test, """
                CREATE FUNCTION queue.a() RETURNS timestamptz LANGUAGE sql AS 'SELECT clock_timestamp()';
                CREATE FUNCTION queue.b() RETURNS timestamptz LANGUAGE sql RETURN now();
                CREATE FUNCTION queue.c() RETURNS timestamptz LANGUAGE sql SET search_path = queue, pg_temp
                    AS 'SELECT current_timestamp';
                CREATE FUNCTION queue.d() RETURNS timestamptz LANGUAGE sql SET search_path = queue, pg_temp
                    AS 'SELECT Pg_Catalog . now ()';
                CREATE FUNCTION queue.e() RETURNS timestamptz LANGUAGE sql SET search_path = queue, pg_temp
                    AS $$ SELECT 'now'::timestamptz $$;
                CREATE FUNCTION queue.f() RETURNS interval LANGUAGE sql SET search_path = queue, pg_temp
                    AS $$ SELECT age('2026-01-01'::timestamptz) $$;
                CREATE FUNCTION queue.g(at timestamptz DEFAULT now()) RETURNS timestamptz LANGUAGE sql
                    SET search_path = queue, pg_temp AS 'SELECT at';
                CREATE VIEW queue.h AS SELECT CURRENT_DATE AS today;
                CREATE MATERIALIZED VIEW queue.i AS SELECT now() AS at;
                CREATE TABLE queue.j (at timestamp DEFAULT LOCALTIMESTAMP);
                CREATE TABLE queue.k (at timestamptz CONSTRAINT k CHECK (at < now()))"""));
        tested(test)
                .run(context -> assertThat(ClockEscapes.of(test))
                        .containsExactly(
                                "a()",
                                "b()",
                                "c()",
                                "d()",
                                "e()",
                                "f()",
                                "g(timestamp with time zone) (default of an argument)",
                                "h",
                                "i",
                                "j",
                                "k"));
    }

    private static void execute(TestDatabase database, String sql) {
        new JdbcTemplate(database.dataSource()).execute(sql);
    }

    @Test
    void isInstalledAgainAfterAMigration() {
        TestDatabase test = TestDatabase.create();
        tested(test).run(context -> assertThat(context).hasNotFailed());
        JdbcClient.create(test.dataSource())
                .sql("ALTER FUNCTION queue.promote(int) SET search_path = queue, pg_temp")
                .update();
        tested(test)
                .run(context -> assertThat(searchPaths(test)).containsOnly("search_path=queue, pg_catalog, pg_temp"));
    }

    @Test
    void isAnotherOneInEachTransaction() throws Exception {
        TestDatabase shared = TestDatabase.create();
        tested(shared).run(context -> assertThat(context).hasNotFailed());
        ExecutorService threads = Executors.newFixedThreadPool(3);
        try {
            List<Callable<Void>> classes = List.of(
                    () -> inAContext(shared, Duration.ofDays(400)),
                    () -> inAContext(shared, Duration.ZERO),
                    () -> inAContext(shared, Duration.ofDays(-3)));
            for (Future<Void> each : threads.invokeAll(classes)) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(JdbcClient.create(shared.dataSource())
                        .sql("SELECT count(*) FROM queue.job")
                        .query(Long.class)
                        .single())
                .isZero();
    }

    private static Void inAContext(TestDatabase shared, Duration offset) {
        tested(shared).run(context -> {
            JobTester jobs = context.getBean(JobTester.class);
            JobPublisher publisher = context.getBean(JobPublisher.class);
            TransactionTemplate transactions =
                    new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
            for (int round = 0; round < 10; round++) {
                transactions.executeWithoutResult(status -> {
                    status.setRollbackOnly();
                    jobs.setTime(jobs.now().plus(offset));
                    for (int i = 0; i < 5; i++) {
                        publisher.publish("order.shipped", i);
                    }
                    assertThat(jobs.drain("order.shipped")).isEqualTo(5);
                    jobs.advance(Duration.ofDays(1)); // one class waits for the schedule that another one has fired
                    assertThat(jobs).published("order.shipped").times(5);
                    assertThat(jobs)
                            .completed("order.shipped")
                            .times(5)
                            .matching(
                                    "have the time of this test",
                                    job -> Duration.between(job.createdAt(), jobs.now())
                                                    .minusDays(1)
                                                    .abs()
                                                    .compareTo(Duration.ofMinutes(1))
                                            < 0);
                });
            }
        });
        return null;
    }

    private static Map<String, String> functions(TestDatabase database) {
        return map(database, """
                SELECT replace(p.oid::regprocedure::text, 'queue.', '') AS name,
                    concat_ws(' ', pg_get_function_arguments(p.oid), pg_get_function_result(p.oid), p.prosrc,
                        p.provolatile, p.prosecdef, l.lanname, array(SELECT c FROM unnest(p.proconfig) AS c
                            WHERE c NOT LIKE 'search_path=%' ORDER BY c)) AS value
                FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
                WHERE p.pronamespace = 'queue'::regnamespace""");
    }

    private static List<String> with(List<String> some, String another) {
        return Stream.concat(some.stream(), Stream.of(another)).toList();
    }

    /** Columns, constraints, indexes, triggers, options, rights, comments, and what else a function has. */
    private static Map<String, String> everythingElse(TestDatabase database) {
        return map(database, """
                SELECT replace(p.oid::regprocedure::text, 'queue.', '') AS name,
                    concat_ws(' ', p.prokind, p.proisstrict, p.proleakproof, p.proparallel, p.procost, p.prorows,
                        p.proretset, p.proowner, p.proacl, p.prosupport, obj_description(p.oid, 'pg_proc')) AS value
                FROM pg_proc p WHERE p.pronamespace = 'queue'::regnamespace
                UNION ALL SELECT c.relname, concat_ws(' ', c.relkind, c.relpersistence, c.reloptions, c.relacl,
                        c.relowner, c.relispartition, pg_get_expr(c.relpartbound, c.oid),
                        obj_description(c.oid, 'pg_class'),
                        CASE WHEN c.relkind IN ('i', 'I') THEN pg_get_indexdef(c.oid) END)
                    FROM pg_class c WHERE c.relnamespace = 'queue'::regnamespace
                UNION ALL SELECT c.relname || '.' || a.attname, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
                        a.attnum, a.attnotnull, a.attidentity, a.attgenerated, a.attstorage, a.attacl,
                        col_description(c.oid, a.attnum))
                    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
                    WHERE c.relnamespace = 'queue'::regnamespace AND a.attnum > 0 AND NOT a.attisdropped
                UNION ALL SELECT 'constraint ' || conname || ' of ' || conrelid::regclass, pg_get_constraintdef(oid)
                    FROM pg_constraint WHERE connamespace = 'queue'::regnamespace
                UNION ALL SELECT 'trigger ' || tgname, pg_get_triggerdef(t.oid)
                    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                    WHERE c.relnamespace = 'queue'::regnamespace AND NOT t.tgisinternal""");
    }

    private static Map<String, String> views(TestDatabase database) {
        return map(
                database,
                "SELECT relname AS name, pg_get_viewdef(oid) AS value FROM pg_class"
                        + " WHERE relnamespace = 'queue'::regnamespace AND relkind = 'v'");
    }

    private static Map<String, String> defaults(TestDatabase database) {
        return map(
                database,
                "SELECT d.adrelid::regclass || '.' || d.adnum AS name, pg_get_expr(d.adbin, d.adrelid) AS value"
                        + " FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid"
                        + " WHERE c.relnamespace = 'queue'::regnamespace");
    }

    private static Map<String, String> map(TestDatabase database, String sql) {
        return JdbcClient.create(database.dataSource()).sql(sql).query().listOfRows().stream()
                .collect(Collectors.toMap(
                        row -> row.get("name").toString(),
                        row -> row.get("value").toString(),
                        (one, other) -> one + other,
                        TreeMap::new));
    }

    private static Set<String> searchPaths(TestDatabase database) {
        return Set.copyOf(JdbcClient.create(database.dataSource())
                .sql("SELECT DISTINCT c FROM pg_proc p, unnest(p.proconfig) AS c"
                        + " WHERE p.pronamespace = 'queue'::regnamespace AND c LIKE 'search_path=%'")
                .query(String.class)
                .list());
    }
}
