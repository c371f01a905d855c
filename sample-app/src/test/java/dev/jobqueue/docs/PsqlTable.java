package dev.jobqueue.docs;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** The rows of an answer as psql prints them. */
final class PsqlTable {

    private static final Set<String> NUMBERS = Set.of("int2", "int4", "int8", "numeric", "float4", "float8");

    private final List<String> titles = new ArrayList<>();
    private final List<Boolean> numeric = new ArrayList<>();
    private final List<List<String>> rows = new ArrayList<>();

    static String of(ResultSet rows) throws SQLException {
        PsqlTable table = new PsqlTable();
        ResultSetMetaData columns = rows.getMetaData();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            table.titles.add(columns.getColumnLabel(i));
            table.numeric.add(NUMBERS.contains(columns.getColumnTypeName(i)));
        }
        while (rows.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= columns.getColumnCount(); i++) {
                String value = rows.getString(i);
                row.add(value == null ? "" : value);
            }
            table.rows.add(row);
        }
        return table.text();
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        List<String> head = new ArrayList<>();
        List<String> line = new ArrayList<>();
        for (int i = 0; i < titles.size(); i++) {
            int left = (width(i) - titles.get(i).length()) / 2;
            head.add(padded(" ".repeat(left) + titles.get(i), width(i), false));
            line.add("-".repeat(width(i) + 2));
        }
        text.append(titles.isEmpty() ? "" : joined(head) + "\n");
        text.append(titles.isEmpty() ? "--" : String.join("+", line)).append('\n');
        for (List<String> row : titles.isEmpty() ? List.<List<String>>of() : rows) {
            List<String> cells = new ArrayList<>();
            for (int i = 0; i < titles.size(); i++) {
                cells.add(padded(row.get(i), width(i), numeric.get(i)));
            }
            text.append(joined(cells)).append('\n');
        }
        return text.append("(%d row%s)\n".formatted(rows.size(), rows.size() == 1 ? "" : "s"))
                .toString();
    }

    private int width(int column) {
        return Math.max(
                titles.get(column).length(),
                rows.stream().mapToInt(row -> row.get(column).length()).max().orElse(0));
    }

    private static String padded(String value, int width, boolean right) {
        String blanks = " ".repeat(width - value.length());
        return right ? blanks + value : value + blanks;
    }

    private static String joined(List<String> cells) {
        return (" " + String.join(" | ", cells)).stripTrailing();
    }
}
