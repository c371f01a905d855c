package dev.jobqueue.docs;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * One session of as much of {@code psql -q} as the examples need: variables, {@code \gset}, tables, errors,
 * notifications.
 */
final class Psql {

    private static final Pattern VARIABLE = Pattern.compile("(?<![:\\w]):('?)(\\w+)\\1");
    private static final String GSET = "\\gset";

    private final Connection connection;
    private final Map<String, String> variables = new HashMap<>();
    private final StringBuilder printed = new StringBuilder();

    Psql(Connection connection) {
        this.connection = connection;
    }

    /** Runs a script and returns what it prints. */
    String run(String script) throws SQLException {
        printed.setLength(0);
        StringBuilder statement = new StringBuilder();
        for (String line : script.lines().toList()) {
            statement.append(line).append('\n');
            String text = statement.toString().strip();
            if (text.startsWith("\\") || text.endsWith(";") || text.endsWith(GSET)) {
                command(text);
                statement.setLength(0);
            }
        }
        if (!statement.toString().isBlank()) {
            throw new AssertionError("This does not end: " + statement);
        }
        return printed.toString().stripTrailing();
    }

    private void command(String text) throws SQLException {
        if (text.startsWith("\\set ")) {
            String[] words = text.split("\\s+", 3);
            variables.put(words[1], filled(words[2]));
        } else if (text.startsWith("\\echo ")) {
            printed.append(filled(text.substring("\\echo ".length()))).append('\n');
        } else {
            boolean gset = text.endsWith(GSET);
            query(filled(gset ? text.substring(0, text.length() - GSET.length()) : text), gset);
        }
    }

    private String filled(String text) {
        Matcher matcher = VARIABLE.matcher(text);
        return matcher.replaceAll(found -> {
            String value = variables.get(found.group(2));
            if (value == null) {
                return Matcher.quoteReplacement(found.group());
            }
            return Matcher.quoteReplacement(found.group(1).isEmpty() ? value : "'" + value.replace("'", "''") + "'");
        });
    }

    private void query(String sql, boolean gset) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (statement.execute(sql)) {
                try (ResultSet rows = statement.getResultSet()) {
                    if (gset) {
                        store(rows);
                    } else {
                        printed.append(PsqlTable.of(rows)).append('\n');
                    }
                }
            }
        } catch (PSQLException ex) {
            error(Objects.requireNonNull(ex.getServerErrorMessage(), ex::getMessage));
        }
        for (PGNotification notification : connection.unwrap(PGConnection.class).getNotifications()) {
            String payload = notification.getParameter();
            printed.append("Asynchronous notification \"%s\" %sreceived from server process with PID %d.\n"
                    .formatted(
                            notification.getName(),
                            payload.isEmpty() ? "" : "with payload \"%s\" ".formatted(payload),
                            notification.getPID()));
        }
    }

    private void store(ResultSet rows) throws SQLException {
        if (!rows.next()) {
            throw new AssertionError("no rows returned for \\gset");
        }
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
            variables.put(rows.getMetaData().getColumnLabel(i), rows.getString(i));
        }
    }

    private void error(ServerErrorMessage error) {
        variables.put("LAST_ERROR_SQLSTATE", String.valueOf(error.getSQLState()));
        List<String> lines = new ArrayList<>();
        lines.add("ERROR:  " + error.getMessage());
        if (error.getDetail() != null) {
            lines.add("DETAIL:  " + error.getDetail());
        }
        if (error.getHint() != null) {
            lines.add("HINT:  " + error.getHint());
        }
        printed.append(String.join("\n", lines)).append('\n');
    }
}
