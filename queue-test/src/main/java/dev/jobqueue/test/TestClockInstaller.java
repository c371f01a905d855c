package dev.jobqueue.test;

import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Lets the functions, views and defaults of the queue's schema see the clock of the tests. The text of functions stays
 * as it is: clocks with PostgreSQL's names stand in the schema, and the search path of each function finds them first.
 */
final class TestClockInstaller implements InitializingBean {

    private static final String INSTALL = """
            DO $install$
            DECLARE
                schema constant text := %1$s;
                real_clock constant text := 'pg_catalog\\.((?:clock|statement|transaction)_timestamp\\(\\)|now\\(\\))';
                clock text;
                found record;
            BEGIN
                PERFORM pg_advisory_xact_lock(hashtextextended('jobqueue test clock of ' || schema, 0));
                -- From here on unqualified names mean the clocks of the schema; pg_get_viewdef qualifies the others.
                PERFORM set_config('search_path', format('%%I, pg_catalog, pg_temp', schema), true);
                FOREACH clock IN ARRAY ARRAY[
                    'clock_timestamp', 'statement_timestamp', 'transaction_timestamp', 'now'] LOOP
                    CONTINUE WHEN to_regprocedure(format('%%I.%%I()', schema, clock)) IS NOT NULL;
                    EXECUTE format($f$
                        CREATE FUNCTION %%I.%%I() RETURNS timestamptz LANGUAGE sql %%s PARALLEL SAFE
                        AS $$ SELECT pg_catalog.%%2$I()
                            + coalesce(nullif(pg_catalog.current_setting('%2$s', true), ''), '0')::interval $$
                        $f$, schema, clock, CASE clock WHEN 'clock_timestamp' THEN 'VOLATILE' ELSE 'STABLE' END);
                END LOOP;
                FOR found IN
                    SELECT p.oid::regprocedure AS name FROM pg_proc p
                    WHERE p.pronamespace = quote_ident(schema)::regnamespace
                        AND EXISTS (SELECT FROM unnest(p.proconfig) AS c
                            WHERE c LIKE 'search_path=%%' AND c NOT LIKE '%%pg_catalog%%')
                LOOP
                    EXECUTE format('ALTER FUNCTION %%s SET search_path = %%I, pg_catalog, pg_temp', found.name, schema);
                END LOOP;
                -- Defaults and views do not search: their functions are those that were found when they were made.
                FOR found IN
                    SELECT d.adrelid::regclass AS name, a.attname, pg_get_expr(d.adbin, d.adrelid) AS definition
                    FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid
                        JOIN pg_attribute a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
                    WHERE c.relnamespace = quote_ident(schema)::regnamespace AND a.attgenerated = ''
                        AND pg_get_expr(d.adbin, d.adrelid) ~ real_clock
                LOOP
                    EXECUTE format('ALTER TABLE %%s ALTER COLUMN %%I SET DEFAULT %%s', found.name, found.attname,
                        regexp_replace(found.definition, real_clock, '\\1', 'g'));
                END LOOP;
                FOR found IN
                    SELECT c.oid::regclass AS name, pg_get_viewdef(c.oid) AS definition FROM pg_class c
                    WHERE c.relnamespace = quote_ident(schema)::regnamespace AND c.relkind = 'v'
                LOOP
                    IF found.definition ~ real_clock THEN
                        EXECUTE format('CREATE OR REPLACE VIEW %%s AS %%s', found.name,
                            regexp_replace(found.definition, real_clock, '\\1', 'g'));
                    END IF;
                END LOOP;
            END
            $install$""";

    private final DataSource dataSource;
    private final String schema;

    TestClockInstaller(DataSource dataSource, String schema) {
        this.dataSource = dataSource;
        this.schema = schema;
    }

    @Override
    public void afterPropertiesSet() {
        String literal = "'" + schema.replace("'", "''") + "'";
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        try {
            new TransactionTemplate(new JdbcTransactionManager(dataSource))
                    .executeWithoutResult(status -> jdbc.execute(INSTALL.formatted(literal, TestClock.SETTING)));
        } catch (DataAccessException ex) {
            String reason = String.valueOf(ex.getMostSpecificCause().getMessage());
            throw new IllegalStateException(
                    ("The clock of the tests cannot be put into the schema '%s': %s. Tests connect as the owner of the"
                                    + " queue's schema, to a database that is theirs; @JobDatabase gives them one.")
                            .formatted(schema, reason.lines().findFirst().orElse("")),
                    ex);
        }
    }
}
