package dev.jobqueue.benchmarks.measure;

import java.util.ArrayList;
import java.util.List;

/** Lines of cells under a header. */
final class Table {

    private final List<List<String>> rows = new ArrayList<>();

    Table(List<String> header) {
        rows.add(header);
    }

    void add(List<String> row) {
        rows.add(row);
    }

    String aligned() {
        int[] widths = new int[rows.get(0).size()];
        rows.forEach(row -> {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    /** As Markdown. */
    String piped() {
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            text.append("| ").append(String.join(" | ", row)).append(" |\n");
            if (row.equals(rows.get(0))) {
                text.append("|").append("---|".repeat(row.size())).append('\n');
            }
        }
        return text.toString();
    }
}
