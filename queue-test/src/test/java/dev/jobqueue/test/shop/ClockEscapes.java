package dev.jobqueue.test.shop;

import dev.jobqueue.postgres.TestDatabase;
import java.util.List;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What in the queue's schema of a test database does not see the clock of the tests. */
final class ClockEscapes {

    private static final String SQL = """
            WITH functions AS (
                SELECT p.oid::regprocedure::text AS name,
                    regexp_replace(regexp_replace(
                        coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), '/\\*.*?\\*/', '', 'g'),
                        '--[^\\n]*', '', 'g') AS text,
                    coalesce(pg_get_expr(p.proargdefaults, 0), '') AS defaults,
                    EXISTS (SELECT FROM unnest(p.proconfig) AS c
                        WHERE c LIKE 'search_path=queue, pg_catalog%') AS searches
                FROM pg_proc p
                WHERE p.pronamespace = 'queue'::regnamespace AND p.proname <> ALL (:clocks)
            ), found AS (
                SELECT name, text, text ~* :hidden OR (text ~* :clock AND NOT searches) AS escapes FROM functions
                UNION ALL SELECT name || ' (default of an argument)', defaults, defaults ~* :hidden FROM functions
                UNION ALL SELECT c.relname, pg_get_viewdef(c.oid), pg_get_viewdef(c.oid) ~* :hidden
                    FROM pg_class c WHERE c.relnamespace = 'queue'::regnamespace AND c.relkind IN ('v', 'm')
                UNION ALL SELECT d.adrelid::regclass::text, pg_get_expr(d.adbin, d.adrelid),
                        pg_get_expr(d.adbin, d.adrelid) ~* :hidden
                    FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid WHERE c.relnamespace = 'queue'::regnamespace
                UNION ALL SELECT conname, pg_get_constraintdef(oid), pg_get_constraintdef(oid) ~* :hidden
                    FROM pg_constraint WHERE connamespace = 'queue'::regnamespace
                UNION ALL SELECT tgname, pg_get_triggerdef(t.oid), pg_get_triggerdef(t.oid) ~* :hidden
                    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid WHERE c.relnamespace = 'queue'::regnamespace
            )
            SELECT name FROM found WHERE escapes ORDER BY name""";

    static final List<String> CLOCKS =
            List.of("clock_timestamp", "statement_timestamp", "transaction_timestamp", "now");

    private static final String ANY_CLOCK = "(?:%s)\\s*\\(\\s*\\)".formatted(String.join("|", CLOCKS));

    /** What reads the time without a name that can be found elsewhere. */
    private static final String HIDDEN = "pg_catalog\\s*\\.\\s*" + ANY_CLOCK
            + "|\\m(?:current_timestamp|current_date|current_time|localtimestamp|localtime|timeofday)\\M"
            + "|'(?:now|today|tomorrow|yesterday)'|\\mage\\s*\\(\\s*(?:'|timestamp|\\w*_at\\M)";

    private ClockEscapes() {}

    static List<String> of(TestDatabase database) {
        PGSimpleDataSource dataSource = (PGSimpleDataSource) database.dataSource();
        // so that PostgreSQL names the schema of its own clocks when it tells an expression
        dataSource.setCurrentSchema("queue,pg_catalog,pg_temp");
        return JdbcClient.create(dataSource)
                .sql(SQL)
                .param("clocks", CLOCKS.toArray(String[]::new))
                .param("hidden", HIDDEN)
                .param("clock", "\\m" + ANY_CLOCK)
                .query(String.class)
                .list();
    }
}
