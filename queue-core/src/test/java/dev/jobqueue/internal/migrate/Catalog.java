package dev.jobqueue.internal.migrate;

import dev.jobqueue.internal.db.Schema;
import dev.jobqueue.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What a schema consists of, as text that can be compared. */
final class Catalog {

    private static final String ALL = """
            SELECT format('function %s(%s) %s', proname, pg_get_function_identity_arguments(p.oid),
                    pg_get_functiondef(p.oid)) || coalesce(proacl::text, '')
                FROM pg_proc p WHERE pronamespace = n.oid
            UNION ALL
            SELECT format('%s %s %s %s %s', c.relkind, c.relname, c.reloptions, pg_get_expr(c.relpartbound, c.oid),
                    CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) WHEN 'i' THEN pg_get_indexdef(c.oid)
                        WHEN 'I' THEN pg_get_indexdef(c.oid) END) || coalesce(relacl::text, '')
                FROM pg_class c WHERE relnamespace = n.oid
            UNION ALL
            SELECT format('column %s.%s %s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                    a.attnotnull, pg_get_expr(d.adbin, d.adrelid))
                FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
                    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
                WHERE relnamespace = n.oid
            UNION ALL
            SELECT format('constraint %s %s %s', conrelid::regclass, conname, pg_get_constraintdef(c.oid))
                FROM pg_constraint c WHERE connamespace = n.oid
            """;

    private Catalog() {}

    static List<String> of(TestDatabase database, Schema schema) throws SQLException {
        return texts(
                database,
                "SELECT entry FROM pg_namespace n CROSS JOIN LATERAL (" + ALL + ") AS all_of (entry)"
                        + " WHERE nspname = ? ORDER BY 1",
                schema.name());
    }

    /** The rows that migrations insert. */
    static List<String> rowsOf(TestDatabase database, Schema schema) throws SQLException {
        String name = schema.quotedName();
        return texts(
                database,
                "SELECT s::text FROM " + name + ".job_state s UNION ALL SELECT t::text FROM " + name
                        + ".setting t ORDER BY 1");
    }

    static List<String> texts(TestDatabase database, String sql, Object... parameters) throws SQLException {
        try (Connection connection = database.connect();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            List<String> texts = new ArrayList<>();
            try (ResultSet results = statement.executeQuery()) {
                while (results.next()) {
                    texts.add(results.getString(1));
                }
            }
            return texts;
        }
    }

    static void execute(TestDatabase database, String sql) throws SQLException {
        try (Connection connection = database.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
